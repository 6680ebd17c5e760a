/* The Python module: takes buffers, releases the GIL, calls the loops and returns bytes. */
#include "python_api.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

static int foreign_order(char mark)
{
    const uint16_t one = 1;
    int little = *(const unsigned char *)&one;
    return (mark == '<' && !little) || ((mark == '>' || mark == '!') && little);
}

/* The format character of a buffer's items ('\0' if it has several), and whether their bytes are
 * swapped. */
static char letter(const Py_buffer *view, int *swapped)
{
    const char *format = view->format ? view->format : "B";
    *swapped = 0;
    if (*format && strchr("@=<>!", *format)) *swapped = foreign_order(*format++);
    return format[0] && !format[1] ? format[0] : '\0';
}

/* A 1-D buffer whose items have one of these format characters. Releases the view on error. */
static int get_column(PyObject *object, const char *name, const char *letters, Py_buffer *view,
                      wf_column *out)
{
    int swapped;
    if (PyObject_GetBuffer(object, view, PyBUF_STRIDES | PyBUF_FORMAT) < 0) return -1;
    char kind = letter(view, &swapped);
    int known = kind && strchr(letters, kind) && view->itemsize <= 8;
    if (known && view->ndim == 1) {
        *out = (wf_column){view->buf, view->strides[0], (int)view->itemsize,
                           strchr("bhilqn", kind) != NULL, swapped};
        return 0;
    }
    if (!known)
        PyErr_Format(PyExc_TypeError, "%s cannot have items of format '%s'", name,
                     view->format ? view->format : "B");
    else PyErr_Format(PyExc_ValueError, "%s must have one dimension, got %d", name, view->ndim);
    PyBuffer_Release(view);
    return -1;
}

#define INTEGERS "bBhHiIlLqQnN?"
#define FLOATS "efd"

static int get_weights(PyObject *object, Py_ssize_t n, Py_buffer *view)
{
    wf_column column;
    view->obj = NULL;
    view->buf = NULL;
    if (object == Py_None) return 0;
    if (get_column(object, "weights", "d", view, &column) < 0) return -1;
    if (!column.swapped && column.stride == 8 && (uintptr_t)column.data % 8 == 0 &&
        view->shape[0] == n)
        return 0;
    PyErr_SetString(PyExc_ValueError, "weights must be contiguous float64, one for each item");
    PyBuffer_Release(view);
    return -1;
}

static int threads_of(PyObject *number)
{
    long threads = PyLong_AsLong(number);
    if (threads == -1 && PyErr_Occurred()) return -1;
    return threads < 1 ? 1 : threads > WF_MOST_THREADS ? WF_MOST_THREADS : (int)threads;
}

static int expect(Py_ssize_t actual, Py_ssize_t wanted)
{
    if (actual == wanted) return 0;
    PyErr_Format(PyExc_TypeError, "expected %zd arguments, got %zd", wanted, actual);
    return -1;
}

static PyObject *failed(wf_status status)
{
    if (status == WF_NO_MEMORY) return PyErr_NoMemory();
    if (status == WF_NAN) PyErr_SetString(PyExc_ValueError, "scores must not be NaN");
    else PyErr_SetString(PyExc_ValueError, "a code is outside the range of the classes");
    return NULL;
}

static PyObject *as_bytes(const void *data, size_t size)
{
    return PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
}

/* count_pairs --------------------------------------------------------------------------------- */

static PyObject *label_list(const wf_pairs *pairs, int sign)
{
    PyObject *labels = PyList_New((Py_ssize_t)pairs->classes);
    for (size_t i = 0; labels && i < pairs->classes; i++) {
        PyObject *label = sign ? PyLong_FromLongLong(pairs->values[i])
                               : PyLong_FromUnsignedLongLong((uint64_t)pairs->values[i]);
        if (!label || PyList_SetItem(labels, (Py_ssize_t)i, label) < 0) Py_CLEAR(labels);
    }
    return labels;
}

/* Memory of the kernel as bytes; it is freed. */
static PyObject *moved_to_bytes(void *data, size_t size)
{
    PyObject *bytes = as_bytes(data, size);
    free(data);
    return bytes;
}

static PyObject *pairs_tuple(wf_pairs *pairs, int sign)
{
    PyObject *labels = label_list(pairs, sign);
    size_t size = 8 * pairs->cells;
    PyObject *true_ = moved_to_bytes(pairs->true_, size);
    PyObject *predicted = moved_to_bytes(pairs->predicted, size);
    PyObject *counts = moved_to_bytes(pairs->sum ? (void *)pairs->sum : pairs->count, size);
    pairs->true_ = pairs->predicted = pairs->count = NULL;
    pairs->sum = NULL;
    if (labels && true_ && predicted && counts)
        return Py_BuildValue("(NNNN)", labels, true_, predicted, counts);
    Py_XDECREF(labels);
    Py_XDECREF(true_);
    Py_XDECREF(predicted);
    Py_XDECREF(counts);
    return NULL;
}

/* Where each cell stands in the whole table, row by row; then the counts, as floats. */
static PyObject *cells_of(const wf_pairs *pairs)
{
    PyObject *cells = as_bytes(NULL, 16 * pairs->cells);
    if (!cells) return NULL;
    int64_t *places = (int64_t *)(void *)PyBytes_AsString(cells);
    double *counts = (double *)(void *)(places + pairs->cells);
    for (size_t i = 0; i < pairs->cells; i++) {
        places[i] = pairs->true_[i] * (int64_t)pairs->classes + pairs->predicted[i];
        counts[i] = (double)pairs->count[i];
    }
    return cells;
}

/* A tuple of objects that are ours, in less time than Py_BuildValue takes; NULL if one is NULL. */
static PyObject *packed(PyObject *const *parts, Py_ssize_t n)
{
    int whole = 1;
    for (Py_ssize_t i = 0; i < n; i++) whole &= parts[i] != NULL;
    PyObject *tuple = whole ? PyTuple_New(n) : NULL;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!tuple) Py_XDECREF(parts[i]);
        else PyTuple_SetItem(tuple, i, parts[i]);
    }
    return tuple;
}

/* A tuple of numbers. */
static PyObject *floats(const double *x, Py_ssize_t n)
{
    PyObject *tuple = PyTuple_New(n);
    for (Py_ssize_t i = 0; tuple && i < n; i++) {
        PyObject *number = PyFloat_FromDouble(x[i]);
        if (!number || PyTuple_SetItem(tuple, i, number) < 0) Py_CLEAR(tuple);
    }
    return tuple;
}

/* The margins of a table; with its cells, also its sums. */
static PyObject *table_tuple(const wf_pairs *pairs, PyObject *labels, int whole)
{
    wf_table_sums s;
    PyObject *margins = as_bytes(NULL, 24 * pairs->classes);
    if (!labels || !margins) {
        Py_XDECREF(labels);
        Py_XDECREF(margins);
        return NULL;
    }
    wf_table(pairs, (double *)(void *)PyBytes_AsString(margins), whole ? &s : NULL);
    if (!whole) {
        PyObject *parts[] = {labels, margins, Py_NewRef(Py_None), Py_NewRef(Py_None)};
        return packed(parts, 4);
    }
    double all[] = {s.right,    s.wrong, s.apart,     s.rows_apart,    s.columns_apart,
                    s.together, s.same,  s.only_true, s.only_predicted};
    PyObject *sums = floats(all, sizeof all / sizeof *all);
    PyObject *parts[] = {labels, margins, sums, cells_of(pairs)};
    return packed(parts, 4);
}

static PyObject *as_booleans(PyObject *labels)
{
    for (Py_ssize_t i = 0; labels && i < PyList_Size(labels); i++) {
        PyObject *label = PyBool_FromLong(PyLong_AsLong(PyList_GetItem(labels, i)));
        if (PyList_SetItem(labels, i, label) < 0) Py_CLEAR(labels);
    }
    return labels;
}

static int comparable(const Py_buffer views[2], const wf_column columns[2])
{
    if (views[0].shape[0] != views[1].shape[0]) {
        PyErr_SetString(PyExc_ValueError, "columns must have equal lengths");
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        if (columns[0].sign == columns[1].sign || columns[i].sign || columns[i].width < 8) continue;
        PyErr_SetString(PyExc_TypeError, "no integer type holds both uint64 and signed labels");
        return 0;
    }
    return 1;
}

typedef PyObject *(*on_views)(const Py_buffer views[2], const wf_column columns[2],
                              PyObject *const *args);

/* Call a function whose first two arguments are columns of integers. */
static PyObject *with_columns(PyObject *const *args, on_views call)
{
    Py_buffer views[2];
    wf_column columns[2];
    PyObject *result = NULL;
    if (get_column(args[0], "true", INTEGERS, &views[0], &columns[0]) < 0) return NULL;
    if (get_column(args[1], "predicted", INTEGERS, &views[1], &columns[1]) == 0) {
        if (comparable(views, columns)) result = call(views, columns, args);
        PyBuffer_Release(&views[1]);
    }
    PyBuffer_Release(&views[0]);
    return result;
}

static PyObject *counted(Py_ssize_t n, const wf_column columns[2], const double *weights,
                         wf_count_options options)
{
    wf_pairs pairs;
    wf_status status;
    if (!n) {
        PyErr_SetString(PyExc_ValueError, "columns must not be empty");
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    status = wf_count(&columns[0], &columns[1], weights, (size_t)n, options, &pairs);
    Py_END_ALLOW_THREADS
    if (status) return failed(status);
    PyObject *result = pairs_tuple(&pairs, columns[0].sign | columns[1].sign);
    wf_pairs_free(&pairs);
    return result;
}

static PyObject *pairs_of(const Py_buffer views[2], const wf_column columns[2],
                          PyObject *const *args)
{
    Py_ssize_t n = views[0].shape[0];
    Py_buffer weights;
    int threads = threads_of(args[3]);
    uint64_t flush = PyLong_AsUnsignedLongLong(args[4]);
    if (threads < 0 || PyErr_Occurred() || get_weights(args[2], n, &weights) < 0) return NULL;
    wf_count_options options = {threads, flush};
    PyObject *result = counted(n, columns, weights.buf, options);
    if (weights.obj) PyBuffer_Release(&weights);
    return result;
}

static PyObject *count_pairs(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    return expect(nargs, 5) < 0 ? NULL : with_columns(args, pairs_of);
}

/* Whether columns have one kind of items: signed, unsigned, or booleans. */
static int alike(const Py_buffer views[2], const wf_column columns[2])
{
    int swapped, first = letter(&views[0], &swapped) == '?',
                 second = letter(&views[1], &swapped) == '?';
    return columns[0].sign == columns[1].sign && first == second;
}

/* The labels of a table, and the counts of one of them: (labels, (tp, fp, fn, tn)). None if there is no such class. */
static PyObject *class_tuple(const wf_pairs *pairs, PyObject *labels, PyObject *positive)
{
    Py_ssize_t k = labels ? PyList_Size(labels) : -1, code = 0;
    int same = 0;
    for (; code < k && !same; code++) {
        PyObject *label = PyList_GetItem(labels, code);
        same = Py_TYPE(label) == Py_TYPE(positive)
                   ? PyObject_RichCompareBool(label, positive, Py_EQ)
                   : 0;
    }
    if (same <= 0) {
        Py_XDECREF(labels);
        return k < 0 || same < 0 ? NULL : Py_NewRef(Py_None);
    }
    int64_t wanted = code - 1, tp = 0, fp = 0, fn = 0, tn = 0;
    for (size_t i = 0; i < pairs->cells; i++) {
        int true_ = pairs->true_[i] == wanted, predicted = pairs->predicted[i] == wanted;
        tp += true_ && predicted ? pairs->count[i] : 0;
        fp += !true_ && predicted ? pairs->count[i] : 0;
        fn += true_ && !predicted ? pairs->count[i] : 0;
        tn += true_ || predicted ? 0 : pairs->count[i];
    }
    double counts[] = {(double)tp, (double)fp, (double)fn, (double)tn};
    PyObject *parts[] = {labels, floats(counts, 4)};
    return packed(parts, 2);
}

enum { FEW = 2048 }; /* items that are counted before another Python thread could start */

/* The table of columns, or with a class that is positive, its counts. */
static PyObject *table_of(const Py_buffer views[2], const wf_column columns[2], int threads,
                          int whole, PyObject *positive)
{
    Py_ssize_t n = views[0].shape[0];
    int swapped;
    wf_pairs pairs;
    wf_status status;
    if (!n || views[1].shape[0] != n || !alike(views, columns)) return Py_NewRef(Py_None);
    wf_count_options options = {threads, 0};
    PyThreadState *state = n > FEW ? PyEval_SaveThread() : NULL;
    status = wf_count(&columns[0], &columns[1], NULL, (size_t)n, options, &pairs);
    if (state) PyEval_RestoreThread(state);
    if (status) return failed(status);
    PyObject *labels = label_list(&pairs, columns[0].sign);
    if (letter(&views[0], &swapped) == '?') labels = as_booleans(labels);
    PyObject *result =
        positive ? class_tuple(&pairs, labels, positive) : table_tuple(&pairs, labels, whole);
    wf_pairs_free(&pairs);
    return result;
}

/* A column, 0 if the object is none of integers or booleans, or −1. */
static int find_column(PyObject *object, Py_buffer *view, wf_column *out)
{
    if (get_column(object, "labels", INTEGERS, view, out) == 0) return 1;
    if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError) &&
        !PyErr_ExceptionMatches(PyExc_BufferError))
        return -1;
    PyErr_Clear();
    return 0;
}

static PyObject *tabulated(PyObject *const *args, int whole, PyObject *positive)
{
    Py_buffer views[2];
    wf_column columns[2];
    int threads = threads_of(args[2]);
    if (threads < 0 || whole < 0) return NULL;
    int one = find_column(args[0], &views[0], &columns[0]), both = 0;
    if (one > 0) both = find_column(args[1], &views[1], &columns[1]);
    PyObject *result = NULL;
    if (both > 0) result = table_of(views, columns, threads, whole, positive);
    else if (one >= 0 && both >= 0) result = Py_NewRef(Py_None);
    if (both > 0) PyBuffer_Release(&views[1]);
    if (one > 0) PyBuffer_Release(&views[0]);
    return result;
}

static PyObject *count_table(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    return expect(nargs, 4) < 0 ? NULL : tabulated(args, PyObject_IsTrue(args[3]), NULL);
}

static PyObject *count_class(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    return expect(nargs, 4) < 0 ? NULL : tabulated(args, 0, args[3]);
}

/* Margins and cells of a table, as bytes: its places, then the counts. */
typedef struct {
    const double *margins, *count;
    const int64_t *cell;
    size_t classes, cells;
} table_bytes;

static int get_table(PyObject *const *args, Py_ssize_t nargs, table_bytes *out)
{
    char *margins, *cells;
    Py_ssize_t size, filled;
    if (expect(nargs, 2) < 0 || PyBytes_AsStringAndSize(args[0], &margins, &size) < 0 ||
        PyBytes_AsStringAndSize(args[1], &cells, &filled) < 0)
        return -1;
    out->classes = (size_t)size / 24, out->cells = (size_t)filled / 16;
    out->margins = (const double *)(void *)margins;
    out->cell = (const int64_t *)(void *)cells;
    out->count = (const double *)(void *)(cells + 8 * out->cells);
    return 0;
}

static PyObject *information(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    table_bytes t;
    double out[3];
    if (get_table(args, nargs, &t) < 0) return NULL;
    wf_status status = wf_information(t.margins, t.classes, t.cell, t.count, t.cells, out);
    return status ? failed(status) : Py_BuildValue("(ddd)", out[0], out[1], out[2]);
}

static PyObject *contingency(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    table_bytes t;
    double out[2];
    if (get_table(args, nargs, &t) < 0) return NULL;
    wf_status status = wf_contingency(t.margins, t.classes, t.cell, t.count, t.cells, out);
    return status ? failed(status) : Py_BuildValue("(dd)", out[0], out[1]);
}

/* margins ------------------------------------------------------------------------------------- */

static PyObject *margins_of(const Py_buffer views[2], const wf_column columns[2],
                            PyObject *const *args)
{
    Py_ssize_t n = views[0].shape[0];
    Py_buffer count, sums;
    int swapped;
    PyObject *result = NULL;
    if (args[2] == Py_None) {
        PyErr_SetString(PyExc_ValueError, "margins needs counts");
        return NULL;
    }
    if (get_weights(args[2], n, &count) < 0) return NULL;
    if (PyObject_GetBuffer(args[3], &sums, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) ==
        0) {
        if (letter(&sums, &swapped) == 'd' && !swapped && sums.ndim == 2 && sums.shape[0] == 3 &&
            (uintptr_t)sums.buf % 8 == 0) {
            wf_status status = wf_margins(&columns[0], &columns[1], count.buf, (size_t)n,
                                          (size_t)sums.shape[1], sums.buf);
            result = status ? failed(status) : Py_NewRef(Py_None);
        } else PyErr_SetString(PyExc_TypeError, "the sums must be float64 (3, classes)");
        PyBuffer_Release(&sums);
    }
    PyBuffer_Release(&count);
    return result;
}

static PyObject *margins(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    return expect(nargs, 4) < 0 ? NULL : with_columns(args, margins_of);
}

/* add_pairs ----------------------------------------------------------------------------------- */

/* Items of an output array. The letter 'l' has 4 bytes on Windows and 8 elsewhere. */
typedef struct {
    const char *letters;
    Py_ssize_t size;
} item_type;

static const item_type BYTES = {"B", 1}, INT32 = {"il", 4}, INT64 = {"lq", 8}, FLOAT64 = {"d", 8};

static void *get_output(PyObject *object, item_type type, Py_ssize_t n, Py_buffer *view);

static PyObject *add_to(const Py_buffer views[2], const wf_column columns[2], PyObject *const *args)
{
    Py_buffer codes, counts, margins = {.obj = NULL};
    wf_column column;
    PyObject *result = NULL;
    Py_ssize_t k = PyLong_AsSsize_t(args[4]);
    int64_t low = PyLong_AsLongLong(args[3]);
    if (PyErr_Occurred()) return NULL;
    if (k < 1 || k > 65535) {
        PyErr_SetString(PyExc_ValueError, "a dense table has from 1 to 65535 classes");
        return NULL;
    }
    if (get_column(args[2], "codes", INT32.letters, &codes, &column) < 0) return NULL;
    if (column.width != INT32.size || column.swapped) {
        PyErr_SetString(PyExc_TypeError, "codes must be int32");
    } else if (column.stride != 4 || (uintptr_t)column.data % 4) {
        PyErr_SetString(PyExc_ValueError, "codes must be contiguous");
    } else {
        int64_t *room = get_output(args[5], INT64, k * k, &counts), *sums = NULL;
        if (room && args[6] != Py_None) sums = get_output(args[6], INT64, 3 * k, &margins);
        if (room && !PyErr_Occurred()) {
            wf_classes classes = {low, (size_t)codes.shape[0], codes.buf, (size_t)k};
            wf_status status =
                wf_add(&columns[0], &columns[1], (size_t)views[0].shape[0], &classes, room, sums);
            if (status == WF_NO_MEMORY) PyErr_NoMemory();
            else result = PyBool_FromLong(status == WF_OK);
        }
        if (counts.obj) PyBuffer_Release(&counts);
        if (margins.obj) PyBuffer_Release(&margins);
    }
    PyBuffer_Release(&codes);
    return result;
}

static PyObject *add_pairs(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    return expect(nargs, 7) < 0 ? NULL : with_columns(args, add_to);
}

/* encode_strings ------------------------------------------------------------------------------ */

static PyObject *encode_strings(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    if (expect(nargs, 3) < 0) return NULL;
    PyObject *items = args[0], *table = args[1], *strings = args[2];
    if (!PyDict_Check(table) || !PyList_Check(strings)) {
        PyErr_SetString(PyExc_TypeError, "encode_strings takes items, a dict and a list");
        return NULL;
    }
    if (PyList_Check(items))
        return wf_encode_strings(items, NULL, PyList_Size(items), table, strings);
    if (PyTuple_Check(items))
        return wf_encode_strings(items, NULL, PyTuple_Size(items), table, strings);
    Py_buffer view;
    wf_column column;
    if (get_column(items, "items", "O", &view, &column) < 0) return NULL;
    PyObject *codes = NULL;
    if ((uintptr_t)view.buf % sizeof(PyObject *) == 0 &&
        view.strides[0] % (Py_ssize_t)sizeof(PyObject *) == 0)
        codes = wf_encode_strings(items, &view, view.shape[0], table, strings);
    else PyErr_SetString(PyExc_ValueError, "items must be aligned");
    PyBuffer_Release(&view);
    return codes;
}

/* encode_fixed -------------------------------------------------------------------------------- */

static PyObject *encode_fixed(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Py_buffer view;
    if (expect(nargs, 1) < 0) return NULL;
    if (PyObject_GetBuffer(args[0], &view, PyBUF_STRIDES | PyBUF_FORMAT) < 0) return NULL;
    PyObject *result = NULL, *codes = NULL;
    int64_t *first = NULL;
    size_t distinct = 0;
    wf_status status = WF_OK;
    const char *format = view.format ? view.format : "";
    if (!*format || format[strlen(format) - 1] != 'w' || view.ndim != 1) {
        PyErr_Format(PyExc_TypeError, "expected fixed-width strings in one dimension, got '%s'",
                     format);
    } else if ((codes = PyBytes_FromStringAndSize(NULL, view.shape[0] * 4))) {
        wf_column column = {view.buf, view.strides[0], (int)view.itemsize, 0, 0};
        int32_t *out = (int32_t *)(void *)PyBytes_AsString(codes);
        Py_BEGIN_ALLOW_THREADS
        status = wf_encode(&column, (size_t)view.shape[0], out, &first, &distinct);
        Py_END_ALLOW_THREADS
        if (status) failed(status);
        else result = Py_BuildValue("(ON)", codes, as_bytes(first, 8 * distinct));
        free(first);
        Py_DECREF(codes);
    }
    PyBuffer_Release(&view);
    return result;
}

/* rank_table ---------------------------------------------------------------------------------- */

/* An output array: contiguous, writable, with space for n items of that type. */
static void *get_output(PyObject *object, item_type type, Py_ssize_t n, Py_buffer *view)
{
    int swapped;
    if (PyObject_GetBuffer(object, view, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        view->obj = NULL;
        return NULL;
    }
    char kind = letter(view, &swapped);
    if (kind && strchr(type.letters, kind) && view->itemsize == type.size && !swapped &&
        view->len == n * view->itemsize && (uintptr_t)view->buf % (uintptr_t)view->itemsize == 0)
        return view->buf;
    PyErr_SetString(PyExc_TypeError, "the output arrays have the wrong type or size");
    return NULL;
}

static PyObject *rank_columns(const wf_column *scores, const wf_column *positive, Py_ssize_t n,
                              PyObject *const *args, int threads)
{
    Py_ssize_t size = args[2] == Py_None && n < INT32_MAX ? 4 : 8;
    Py_buffer weights, room;
    wf_status status = WF_OK;
    PyObject *result = NULL;
    if (get_weights(args[2], n, &weights) < 0) return NULL;
    char *bytes = get_output(args[4], BYTES, (8 + 2 * size) * n, &room);
    if (bytes && (uintptr_t)bytes % 8) PyErr_SetString(PyExc_ValueError, "room must be aligned");
    else if (bytes) {
        wf_ranking out = {(double *)(void *)bytes, bytes + 8 * n, bytes + (8 + size) * n, 0, 0};
        Py_BEGIN_ALLOW_THREADS
        status = wf_rank(scores, positive, weights.buf, (size_t)n, threads, &out);
        Py_END_ALLOW_THREADS
        if (status == WF_BAD_CODE) result = Py_NewRef(Py_None);
        else if (status) failed(status);
        else result = Py_BuildValue("(nn)", (Py_ssize_t)out.distinct, (Py_ssize_t)out.items);
    }
    if (weights.obj) PyBuffer_Release(&weights);
    if (room.obj) PyBuffer_Release(&room);
    return result;
}

/* Scores and as many labels. Releases the views on error. */
static int get_scored(PyObject *const *args, Py_buffer *views, wf_column *columns)
{
    if (get_column(args[0], "scores", FLOATS, &views[0], &columns[0]) < 0) return -1;
    if (get_column(args[1], "positive", INTEGERS, &views[1], &columns[1]) == 0) {
        if (views[1].shape[0] == views[0].shape[0]) return 0;
        PyErr_SetString(PyExc_ValueError, "scores and labels must have equal lengths");
        PyBuffer_Release(&views[1]);
    }
    PyBuffer_Release(&views[0]);
    return -1;
}

static PyObject *rank_table(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Py_buffer views[2];
    wf_column columns[2];
    int threads = expect(nargs, 5) < 0 ? -1 : threads_of(args[3]);
    if (threads < 0 || get_scored(args, views, columns) < 0) return NULL;
    PyObject *result = rank_columns(&columns[0], &columns[1], views[0].shape[0], args, threads);
    for (int i = 0; i < 2; i++) PyBuffer_Release(&views[i]);
    return result;
}

static PyObject *order(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Py_buffer view, room;
    wf_column scores;
    wf_status status = WF_OK;
    int threads = expect(nargs, 3) < 0 ? -1 : threads_of(args[1]);
    if (threads < 0) return NULL;
    if (get_column(args[0], "scores", FLOATS, &view, &scores) < 0) return NULL;
    Py_ssize_t n = view.shape[0];
    char *bytes = get_output(args[2], BYTES, 16 * n, &room);
    if (bytes && (uintptr_t)bytes % 8) PyErr_SetString(PyExc_ValueError, "room must be aligned");
    else if (bytes) {
        Py_BEGIN_ALLOW_THREADS
        status = wf_order(&scores, (size_t)n, threads, (int64_t *)(void *)bytes,
                          (double *)(void *)(bytes + 8 * n));
        Py_END_ALLOW_THREADS
        if (status) failed(status);
    }
    if (room.obj) PyBuffer_Release(&room);
    PyBuffer_Release(&view);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyObject *rank_areas(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Py_buffer views[2];
    wf_column columns[2];
    wf_areas a;
    wf_status status;
    PyObject *result = NULL;
    int threads = expect(nargs, 3) < 0 ? -1 : threads_of(args[2]);
    if (threads < 0 || get_scored(args, views, columns) < 0) return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = wf_rank_areas(&columns[0], &columns[1], (size_t)views[0].shape[0], threads, &a);
    Py_END_ALLOW_THREADS
    if (status == WF_NO_MEMORY) failed(status);
    else if (status || !isfinite(a.highest) || !isfinite(a.lowest)) result = Py_NewRef(Py_None);
    else
        result = Py_BuildValue("(dddddd)", a.positives, a.negatives, a.pairs, a.precision,
                               a.highest, a.lowest);
    for (int i = 0; i < 2; i++) PyBuffer_Release(&views[i]);
    return result;
}

/* group_labels -------------------------------------------------------------------------------- */

/* A 2-D buffer of integers or floats. Releases the view on error. */
static int get_cells(PyObject *object, const char *name, Py_buffer *view, wf_cells *out)
{
    int swapped;
    if (PyObject_GetBuffer(object, view, PyBUF_STRIDES | PyBUF_FORMAT) < 0) return -1;
    char kind = letter(view, &swapped);
    if (kind && strchr(INTEGERS "fd", kind) && view->itemsize <= 8 && view->ndim == 2) {
        *out = (wf_cells){view->buf,
                          view->strides[0],
                          view->strides[1],
                          (int)view->itemsize,
                          strchr("bhilqn", kind) != NULL,
                          swapped,
                          kind == 'f' || kind == 'd',
                          (size_t)view->shape[0],
                          (size_t)view->shape[1]};
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "%s must be a matrix of numbers", name);
    PyBuffer_Release(view);
    return -1;
}

static PyObject *grouped(const wf_cells *true_, const wf_cells *predicted)
{
    wf_label_sets sets;
    wf_status status;
    Py_BEGIN_ALLOW_THREADS
    status = wf_group_labels(true_, predicted, &sets);
    Py_END_ALLOW_THREADS
    if (status == WF_BAD_CODE) return Py_NewRef(Py_None);
    if (status) return failed(status);
    PyObject *result = Py_BuildValue("(NN)", as_bytes(sets.item, 24 * sets.lines),
                                     as_bytes(sets.count, 8 * sets.kinds));
    wf_label_sets_free(&sets);
    return result;
}

/* What a function writes for all items of bytes; None if a number is neither 0 nor 1. */
static PyObject *written(PyObject *bytes, wf_status status)
{
    if (!status) return bytes;
    Py_DECREF(bytes);
    return status == WF_BAD_CODE ? Py_NewRef(Py_None) : failed(status);
}

static PyObject *of_items(const wf_cells *true_, const wf_cells *predicted)
{
    PyObject *sums = as_bytes(NULL, 24 * true_->rows);
    wf_status status;
    if (!sums) return NULL;
    double *room = (double *)(void *)PyBytes_AsString(sums);
    Py_BEGIN_ALLOW_THREADS
    status = wf_item_labels(true_, predicted, room);
    Py_END_ALLOW_THREADS
    return written(sums, status);
}

static PyObject *flags_of(const wf_cells *true_, const wf_cells *scores)
{
    PyObject *flags = as_bytes(NULL, true_->rows * true_->columns);
    wf_status status = WF_OK;
    double sum = 0, block[64];
    if (!flags) return NULL;
    unsigned char *room = (unsigned char *)PyBytes_AsString(flags);
    Py_BEGIN_ALLOW_THREADS
    status = wf_label_flags(true_, room);
    for (size_t i = 0; i < scores->rows && scores->floats; i++)
        for (size_t at = 0; at < scores->columns; at += 64) {
            size_t n = scores->columns - at < 64 ? scores->columns - at : 64;
            wf_column row = {scores->data + (ptrdiff_t)i * scores->row_stride,
                             scores->column_stride, scores->width, 0, scores->swapped};
            wf_gather_double(&row, at, n, block);
            for (size_t j = 0; j < n; j++) sum += block[j];
        }
    Py_END_ALLOW_THREADS
    if (!isfinite(sum) || !scores->floats) status = WF_BAD_CODE;
    return written(flags, status);
}

typedef PyObject *(*on_cells)(const wf_cells *true_, const wf_cells *other);

/* Call a function of two matrices of the same shape. */
static PyObject *with_cells(PyObject *const *args, Py_ssize_t nargs, on_cells call)
{
    Py_buffer views[2];
    wf_cells cells[2];
    PyObject *result = NULL;
    if (expect(nargs, 2) < 0) return NULL;
    if (get_cells(args[0], "true", &views[0], &cells[0]) < 0) return NULL;
    if (get_cells(args[1], "predicted", &views[1], &cells[1]) == 0) {
        if (cells[0].rows == cells[1].rows && cells[0].columns == cells[1].columns &&
            cells[0].columns)
            result = call(&cells[0], &cells[1]);
        else PyErr_SetString(PyExc_ValueError, "matrices must have the same shape, with columns");
        PyBuffer_Release(&views[1]);
    }
    PyBuffer_Release(&views[0]);
    return result;
}

static PyObject *group_labels(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    return with_cells(args, nargs, grouped);
}

static PyObject *item_labels(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    return with_cells(args, nargs, of_items);
}

static PyObject *label_flags(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    return with_cells(args, nargs, flags_of);
}

static PyObject *label_scores(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Py_buffer views[2];
    wf_cells cells[2];
    wf_status status;
    double sums[3];
    PyObject *result = NULL;
    int threads = expect(nargs, 4) < 0 ? -1 : threads_of(args[3]);
    if (threads < 0) return NULL;
    long what = PyLong_AsLong(args[2]);
    if (what < WF_EXACT || what > WF_TOP_ERROR) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "there is no such score");
        return NULL;
    }
    if (get_cells(args[0], "true", &views[0], &cells[0]) < 0) return NULL;
    if (get_cells(args[1], "other", &views[1], &cells[1]) == 0) {
        if (cells[0].rows == cells[1].rows && cells[0].columns == cells[1].columns &&
            cells[0].columns) {
            Py_BEGIN_ALLOW_THREADS
            status = wf_label_scores(&cells[0], &cells[1], (wf_label_score)what, threads, sums);
            Py_END_ALLOW_THREADS
            if (status == WF_BAD_CODE) result = Py_NewRef(Py_None);
            else
                result =
                    status ? failed(status) : Py_BuildValue("(ddd)", sums[0], sums[1], sums[2]);
        } else PyErr_SetString(PyExc_ValueError, "matrices must have the same shape, with columns");
        PyBuffer_Release(&views[1]);
    }
    PyBuffer_Release(&views[0]);
    return result;
}

/* running ------------------------------------------------------------------------------------- */

static PyObject *running(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Py_buffer views[2], room = {.obj = NULL};
    wf_column columns[2];
    int swapped;
    if (expect(nargs, 5) < 0) return NULL;
    double starts[2] = {PyFloat_AsDouble(args[2]), PyFloat_AsDouble(args[3])};
    if (PyErr_Occurred()) return NULL;
    if (get_column(args[0], "positives", INTEGERS "d", &views[0], &columns[0]) < 0) return NULL;
    if (get_column(args[1], "negatives", INTEGERS "d", &views[1], &columns[1]) < 0) {
        PyBuffer_Release(&views[0]);
        return NULL;
    }
    Py_ssize_t n = views[0].shape[0];
    double *rows = get_output(args[4], FLOAT64, 4 * n, &room);
    if (rows && views[1].shape[0] != n)
        PyErr_SetString(PyExc_ValueError, "columns must have equal lengths");
    for (int i = 0; i < 2 && rows && !PyErr_Occurred(); i++)
        wf_running(&columns[i], letter(&views[i], &swapped) == 'd', (size_t)n, starts[i],
                   rows + i * n, rows + (2 + i) * n);
    for (int i = 0; i < 2; i++) PyBuffer_Release(&views[i]);
    if (room.obj) PyBuffer_Release(&room);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyObject *placements(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Py_buffer views[2];
    wf_column columns[2];
    int swapped, floats[2];
    PyObject *result = NULL;
    if (expect(nargs, 4) < 0) return NULL;
    double sizes[2] = {PyFloat_AsDouble(args[2]), PyFloat_AsDouble(args[3])};
    if (PyErr_Occurred()) return NULL;
    if (get_column(args[0], "positives", INTEGERS "d", &views[0], &columns[0]) < 0) return NULL;
    if (get_column(args[1], "negatives", INTEGERS "d", &views[1], &columns[1]) == 0) {
        Py_ssize_t n = views[0].shape[0];
        for (int i = 0; i < 2; i++) floats[i] = letter(&views[i], &swapped) == 'd';
        if (views[1].shape[0] != n) {
            PyErr_SetString(PyExc_ValueError, "columns must have equal lengths");
        } else {
            wf_placements p;
            Py_BEGIN_ALLOW_THREADS
            p = wf_place(&columns[0], &columns[1], floats, (size_t)n, sizes);
            Py_END_ALLOW_THREADS
            result = Py_BuildValue("(dddddd)", p.area, p.squares[0], p.squares[1], p.cubes,
                                   p.fourths, p.bend);
        }
        PyBuffer_Release(&views[1]);
    }
    PyBuffer_Release(&views[0]);
    return result;
}

static PyObject *place_precisions(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Py_buffer views[2];
    wf_column columns[2];
    int swapped, floats[2];
    PyObject *result = NULL;
    if (expect(nargs, 3) < 0) return NULL;
    long what = PyLong_AsLong(args[2]);
    if (what < WF_MEAN_PRECISION || what > WF_EXCESS) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "there is no such score");
        return NULL;
    }
    if (get_column(args[0], "positives", INTEGERS "d", &views[0], &columns[0]) < 0) return NULL;
    if (get_column(args[1], "negatives", INTEGERS "d", &views[1], &columns[1]) == 0) {
        Py_ssize_t n = views[0].shape[0];
        for (int i = 0; i < 2; i++) floats[i] = letter(&views[i], &swapped) == 'd';
        if (views[1].shape[0] != n) {
            PyErr_SetString(PyExc_ValueError, "columns must have equal lengths");
        } else {
            wf_moments m;
            wf_status status;
            Py_BEGIN_ALLOW_THREADS
            status = wf_place_precisions(&columns[0], &columns[1], floats, (size_t)n,
                                         (wf_precisions)what, &m);
            Py_END_ALLOW_THREADS
            result = status ? failed(status)
                            : Py_BuildValue("(dddddd)", m.value, m.squares[0], m.squares[1],
                                            m.cubes, m.fourths, m.second);
        }
        PyBuffer_Release(&views[1]);
    }
    PyBuffer_Release(&views[0]);
    return result;
}

/* curve --------------------------------------------------------------------------------------- */

static PyObject *curve(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    enum { SCORE, POSITIVES, NEGATIVES, COLUMNS };
    static const char *const names[] = {"score", "positives", "negatives"};
    Py_buffer views[COLUMNS], room = {.obj = NULL}, second = {.obj = NULL};
    wf_column columns[COLUMNS];
    PyObject *result = NULL;
    int got = 0, swapped,
        threads = expect(nargs, nargs == 8 ? 8 : 7) < 0 ? -1 : threads_of(args[5]);
    if (threads < 0) return NULL;
    long kind = PyLong_AsLong(args[3]), kept = PyLong_AsLong(args[4]);
    if (PyErr_Occurred()) return NULL;
    while (got < COLUMNS && get_column(args[got], names[got], got ? INTEGERS "d" : FLOATS,
                                       &views[got], &columns[got]) == 0)
        got++;
    double *rows = NULL, *more = NULL;
    Py_ssize_t n = got == COLUMNS ? views[SCORE].shape[0] : 0;
    if (got == COLUMNS) rows = get_output(args[6], FLOAT64, 3 * (n + 1), &room);
    if (rows && nargs == 8) more = get_output(args[7], FLOAT64, 2 * (n + 1), &second);
    if (rows && (more || nargs == 7)) {
        int floats = letter(&views[POSITIVES], &swapped) == 'd';
        if (views[POSITIVES].shape[0] != n || views[NEGATIVES].shape[0] != n || !n)
            PyErr_SetString(PyExc_ValueError, "columns must have equal lengths above 0");
        else if (floats != (letter(&views[NEGATIVES], &swapped) == 'd'))
            PyErr_SetString(PyExc_TypeError, "positives and negatives must have one type");
        else if (kind < WF_COUNTS || kind > WF_MATRICES || (kind == WF_MATRICES) != (nargs == 8) ||
                 kept < WF_EVERY || kept > WF_RISES)
            PyErr_SetString(PyExc_ValueError, "there is no such curve");
        else {
            wf_steps steps = {columns[SCORE], columns[POSITIVES], columns[NEGATIVES], floats,
                              (size_t)n};
            wf_points out = {.x = rows, .y = rows + n + 1, .threshold = rows + 2 * (n + 1)};
            if (more) out.tn = more, out.fn = more + n + 1;
            Py_BEGIN_ALLOW_THREADS
            wf_curve(&steps, (wf_curve_kind)kind, (wf_kept)kept, threads, &out);
            Py_END_ALLOW_THREADS
            result = PyLong_FromSize_t(out.points);
        }
    }
    while (got--) PyBuffer_Release(&views[got]);
    if (room.obj) PyBuffer_Release(&room);
    if (second.obj) PyBuffer_Release(&second);
    return result;
}

/* losses -------------------------------------------------------------------------------------- */

/* Run wf_loss on codes and a matrix, or on the second of two columns alone. */
static int loss_of_views(const wf_column *codes, Py_ssize_t n, const Py_buffer *view,
                         wf_loss_options options, int threads, wf_losses *out)
{
    int swapped, second = view->ndim == 1;
    char kind = letter(view, &swapped);
    if (kind != 'f' && kind != 'd') {
        PyErr_SetString(PyExc_TypeError, "probabilities must be float32 or float64");
        return -1;
    }
    if (view->ndim < 1 || view->ndim > 2 || view->shape[0] != n || (!second && !view->shape[1])) {
        PyErr_SetString(PyExc_ValueError,
                        "probabilities must have one row per item and at least one column");
        return -1;
    }
    wf_matrix p = {
        view->buf, view->strides[0], second ? 0 : view->strides[1],       (int)view->itemsize,
        swapped,   (size_t)n,        second ? 2 : (size_t)view->shape[1], second};
    wf_status status;
    Py_BEGIN_ALLOW_THREADS
    status = wf_loss(codes, &p, options, threads, out);
    Py_END_ALLOW_THREADS
    if (!status && out->bad_code < (size_t)n) status = WF_BAD_CODE;
    if (status) failed(status);
    return status ? -1 : 0;
}

static int loss_of(PyObject *const *args, wf_loss_options options, PyObject *number, wf_losses *out)
{
    Py_buffer codes, p;
    wf_column column;
    int threads = threads_of(number), result = -1;
    if (threads < 0) return -1;
    if (get_column(args[0], "codes", INTEGERS, &codes, &column) < 0) return -1;
    if (PyObject_GetBuffer(args[1], &p, PyBUF_STRIDES | PyBUF_FORMAT) == 0) {
        result = loss_of_views(&column, codes.shape[0], &p, options, threads, out);
        PyBuffer_Release(&p);
    }
    PyBuffer_Release(&codes);
    return result;
}

static PyObject *losses(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    wf_losses out;
    Py_buffer each = {.obj = NULL};
    if (expect(nargs, 7) < 0) return NULL;
    wf_loss_options options = {.floor = PyFloat_AsDouble(args[2]),
                               .tolerance = PyFloat_AsDouble(args[3]),
                               .wanted = (int)PyLong_AsLong(args[4])};
    if (PyErr_Occurred()) return NULL;
    if (args[6] != Py_None) { /* a place for the loss of each item */
        Py_ssize_t n = PyObject_Length(args[0]);
        options.each = n < 0 ? NULL : get_output(args[6], FLOAT64, n, &each);
        if (!options.each) return NULL;
    }
    int failure = loss_of(args, options, args[5], &out);
    if (each.obj) PyBuffer_Release(&each);
    if (failure < 0) return NULL;
    return Py_BuildValue("(ddddnKdd)", out.log_sum, out.log_squares, out.brier_sum,
                         out.brier_squares, (Py_ssize_t)out.bad_row, (unsigned long long)out.least,
                         out.hinge_sum, out.hinge_squares);
}

static PyObject *hits(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    wf_losses out;
    if (expect(nargs, 5) < 0) return NULL;
    wf_loss_options options = {
        .wanted = WF_TOP, .k = PyLong_AsSize_t(args[2]), .ties = (int)PyLong_AsLong(args[3])};
    if (PyErr_Occurred() || loss_of(args, options, args[4], &out) < 0) return NULL;
    return Py_BuildValue("(nnK)", (Py_ssize_t)out.hits, (Py_ssize_t)out.bad_row,
                         (unsigned long long)out.least);
}

/* Resampling ---------------------------------------------------------------------------------- */

/* A contiguous buffer of items of one type. Releases the view on error. */
static int get_block(PyObject *object, const char *name, item_type type, int flags, Py_buffer *view)
{
    int swapped;
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | flags) < 0) return -1;
    char kind = letter(view, &swapped);
    if (kind && strchr(type.letters, kind) && view->itemsize == type.size && !swapped) return 0;
    PyErr_Format(PyExc_TypeError, "%s cannot have items of format '%s'", name,
                 view->format ? view->format : "B");
    PyBuffer_Release(view);
    return -1;
}

/* Rows (units × replicates) of bytes or int32. */
static int get_rows(PyObject *object, int flags, Py_buffer *view, wf_rows *rows)
{
    static const item_type BYTE = {"B", 1};
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | flags) < 0) return -1;
    int wide = view->itemsize != 1, two = view->ndim == 2;
    PyBuffer_Release(view);
    if (!two) {
        PyErr_SetString(PyExc_ValueError, "rows must have two dimensions");
        return -1;
    }
    if (get_block(object, "rows", wide ? INT32 : BYTE, flags, view) < 0) return -1;
    *rows =
        (wf_rows){view->buf, (int)view->itemsize, (size_t)view->shape[0], (size_t)view->shape[1]};
    return 0;
}

static PyObject *information_of_each(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    enum { MARGINS, CELLS, COUNTS, SUMS, BUFFERS };
    Py_buffer views[BUFFERS] = {{0}};
    PyObject *result = NULL;
    if (expect(nargs, 4) < 0) return NULL;
    if (get_block(args[0], "margins", FLOAT64, PyBUF_SIMPLE, &views[MARGINS]) == 0 &&
        get_block(args[1], "cells", INT64, PyBUF_SIMPLE, &views[CELLS]) == 0 &&
        get_block(args[2], "counts", FLOAT64, PyBUF_SIMPLE, &views[COUNTS]) == 0 &&
        get_block(args[3], "sums", FLOAT64, PyBUF_WRITABLE, &views[SUMS]) == 0) {
        const double *margins = views[MARGINS].buf, *counts = views[COUNTS].buf;
        double *sums = views[SUMS].buf;
        size_t tables = (size_t)views[SUMS].len / 24, cells = (size_t)views[CELLS].len / 8;
        size_t classes = tables ? (size_t)views[MARGINS].len / 24 / tables : 0;
        if ((size_t)views[SUMS].len != 24 * tables ||
            (size_t)views[MARGINS].len != 24 * classes * tables ||
            (size_t)views[COUNTS].len != 8 * cells * tables) {
            PyErr_SetString(PyExc_ValueError, "each table needs 3 sums, its margins and its cells");
        } else {
            wf_status status = WF_OK;
            Py_BEGIN_ALLOW_THREADS
            for (size_t i = 0; i < tables && !status; i++)
                status = wf_information(margins + 3 * classes * i, classes, views[CELLS].buf,
                                        counts + cells * i, cells, sums + 3 * i);
            Py_END_ALLOW_THREADS
            result = status ? failed(status) : Py_NewRef(Py_None);
        }
    }
    for (int i = 0; i < BUFFERS; i++)
        if (views[i].obj) PyBuffer_Release(&views[i]);
    return result;
}

static PyObject *sum_rows(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    enum { ROWS, ORDER, STARTS, SUMS, BUFFERS };
    Py_buffer views[BUFFERS] = {{0}};
    wf_rows rows;
    wf_status status = WF_OK;
    PyObject *result = NULL;
    int threads;
    if (expect(nargs, 5) < 0 || (threads = threads_of(args[3])) < 0) return NULL;
    if (get_rows(args[0], PyBUF_SIMPLE, &views[ROWS], &rows) < 0) return NULL;
    if (get_block(args[1], "order", INT64, PyBUF_SIMPLE, &views[ORDER]) == 0 &&
        get_block(args[2], "starts", INT64, PyBUF_SIMPLE, &views[STARTS]) == 0 &&
        get_block(args[4], "sums", FLOAT64, PyBUF_WRITABLE, &views[SUMS]) == 0) {
        size_t starts = (size_t)views[STARTS].len / 8;
        wf_groups groups = {views[ORDER].buf, views[STARTS].buf, (size_t)views[ORDER].len / 8,
                            starts ? starts - 1 : 0};
        if ((size_t)views[SUMS].len != 8 * groups.groups * rows.replicates) {
            PyErr_SetString(PyExc_ValueError, "sums must have a row for each group");
        } else {
            Py_BEGIN_ALLOW_THREADS
            status = wf_sum_rows(&rows, &groups, threads, views[SUMS].buf);
            Py_END_ALLOW_THREADS
            result = status ? failed(status) : Py_NewRef(Py_None);
        }
    }
    for (int i = 0; i < BUFFERS; i++)
        if (views[i].obj) PyBuffer_Release(&views[i]);
    return result;
}

static PyObject *flips(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Py_buffer count, view;
    wf_rows rows;
    PyObject *result = NULL;
    int threads;
    if (expect(nargs, 5) < 0 || (threads = threads_of(args[3])) < 0) return NULL;
    uint64_t seed = PyLong_AsUnsignedLongLong(args[1]);
    size_t first = PyLong_AsSize_t(args[2]);
    if (PyErr_Occurred()) return NULL;
    if (get_block(args[0], "count", INT64, PyBUF_SIMPLE, &count) < 0) return NULL;
    if (get_rows(args[4], PyBUF_WRITABLE, &view, &rows) == 0) {
        if ((size_t)count.len != 8 * rows.units) {
            PyErr_SetString(PyExc_ValueError, "rows must have a row for each unit");
        } else {
            Py_BEGIN_ALLOW_THREADS
            wf_flips(count.buf, seed, first, threads, &rows);
            Py_END_ALLOW_THREADS
            result = Py_NewRef(Py_None);
        }
        PyBuffer_Release(&view);
    }
    PyBuffer_Release(&count);
    return result;
}

static PyObject *multinomial(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Py_buffer state, share, view;
    wf_rows rows;
    PyObject *result = NULL;
    if (expect(nargs, 4) < 0) return NULL;
    int64_t items = PyLong_AsLongLong(args[1]);
    if (PyErr_Occurred()) return NULL;
    static const item_type UINT64 = {"LQ", 8};
    if (get_block(args[0], "state", UINT64, PyBUF_WRITABLE, &state) < 0) return NULL;
    if (get_block(args[2], "share", FLOAT64, PyBUF_SIMPLE, &share) < 0) {
        PyBuffer_Release(&state);
        return NULL;
    }
    if (get_rows(args[3], PyBUF_WRITABLE, &view, &rows) == 0) {
        if (state.len != sizeof(wf_generator) || (size_t)share.len != 8 * rows.units ||
            !rows.units || items < 0 || items > INT32_MAX) {
            PyErr_SetString(PyExc_ValueError, "a state of 4, and a share and a row for each unit");
        } else {
            wf_status status;
            wf_generator g;
            memcpy(&g, state.buf, sizeof g);
            Py_BEGIN_ALLOW_THREADS
            status = wf_multinomial(&g, items, share.buf, &rows);
            Py_END_ALLOW_THREADS
            if (status == WF_NO_MEMORY) failed(status);
            else result = PyBool_FromLong(!status);
            if (!status) memcpy(state.buf, &g, sizeof g);
        }
        PyBuffer_Release(&view);
    }
    PyBuffer_Release(&share);
    PyBuffer_Release(&state);
    return result;
}

static PyObject *trapezoid(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Py_buffer x, y;
    wf_trapezoids out;
    PyObject *result = NULL;
    int threads = expect(nargs, 3) < 0 ? -1 : threads_of(args[2]);
    if (threads < 0 || get_block(args[0], "x", FLOAT64, PyBUF_SIMPLE, &x) < 0) return NULL;
    if (get_block(args[1], "y", FLOAT64, PyBUF_SIMPLE, &y) == 0) {
        if (x.len == y.len) {
            wf_status status;
            Py_BEGIN_ALLOW_THREADS
            status = wf_trapezoid(x.buf, y.buf, (size_t)x.len / 8, threads, &out);
            Py_END_ALLOW_THREADS
            result = status ? failed(status)
                            : Py_BuildValue("(dNN)", out.area, PyBool_FromLong(out.rises),
                                            PyBool_FromLong(out.falls));
        } else PyErr_SetString(PyExc_ValueError, "x and y must have equal lengths");
        PyBuffer_Release(&y);
    }
    PyBuffer_Release(&x);
    return result;
}

static PyObject *bins(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Py_buffer views[2], inner, room = {.obj = NULL};
    wf_column columns[2];
    PyObject *result = NULL;
    int threads = expect(nargs, 5) < 0 ? -1 : threads_of(args[3]);
    if (threads < 0 || get_scored(args, views, columns) < 0) return NULL;
    if (get_block(args[2], "edges", FLOAT64, PyBUF_SIMPLE, &inner) == 0) {
        Py_ssize_t n = views[0].shape[0];
        size_t bins = (size_t)inner.len / 8 + 1;
        double *sums = get_output(args[4], FLOAT64, 3 * (Py_ssize_t)bins, &room);
        if (sums) {
            wf_status status;
            Py_BEGIN_ALLOW_THREADS
            status = wf_bin(&columns[0], &columns[1], (size_t)n, inner.buf, bins, threads, sums);
            Py_END_ALLOW_THREADS
            if (status && status != WF_BAD_CODE) failed(status);
            else result = PyBool_FromLong(!status);
        }
        if (room.obj) PyBuffer_Release(&room);
        PyBuffer_Release(&inner);
    }
    for (int i = 0; i < 2; i++) PyBuffer_Release(&views[i]);
    return result;
}

static PyObject *bucket_counts(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Py_buffer views[2], room = {.obj = NULL};
    wf_column columns[2];
    PyObject *result = NULL;
    int threads = expect(nargs, 4) < 0 ? -1 : threads_of(args[2]);
    if (threads < 0 || get_scored(args, views, columns) < 0) return NULL;
    Py_ssize_t n = views[0].shape[0], most = n < WF_BUCKETS ? n : WF_BUCKETS;
    int64_t *lines = get_output(args[3], INT64, 3 * most, &room);
    if (lines) {
        wf_buckets out = {lines, lines + most, lines + 2 * most, 0};
        wf_status status;
        Py_BEGIN_ALLOW_THREADS
        status = wf_tally_buckets(&columns[0], &columns[1], (size_t)n, threads, &out);
        Py_END_ALLOW_THREADS
        if (status == WF_NO_MEMORY) failed(status);
        else result = status ? Py_NewRef(Py_None) : PyLong_FromSize_t(out.count);
    }
    if (room.obj) PyBuffer_Release(&room);
    for (int i = 0; i < 2; i++) PyBuffer_Release(&views[i]);
    return result;
}

static PyObject *rank_buckets(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Py_buffer views[2], chosen, room = {.obj = NULL};
    wf_column columns[2];
    PyObject *result = NULL;
    int threads = expect(nargs, 5) < 0 ? -1 : threads_of(args[3]);
    if (threads < 0 || get_scored(args, views, columns) < 0) return NULL;
    if (get_block(args[2], "chosen", BYTES, PyBUF_SIMPLE, &chosen) == 0) {
        Py_ssize_t n = views[0].shape[0], most = PyObject_Size(args[4]) / 16;
        char *bytes = most < 0 ? NULL : get_output(args[4], BYTES, 16 * most, &room);
        if (bytes && ((uintptr_t)bytes % 8 || chosen.len != WF_BUCKETS || most >= INT32_MAX))
            PyErr_SetString(PyExc_ValueError, "a flag for each bucket, and aligned room");
        else if (bytes) {
            wf_ranking out = {(double *)(void *)bytes, bytes + 8 * most, bytes + 12 * most, 0, 0};
            wf_status status;
            Py_BEGIN_ALLOW_THREADS
            status = wf_rank_buckets(&columns[0], &columns[1], (size_t)n, chosen.buf, threads,
                                     (size_t)most, &out);
            Py_END_ALLOW_THREADS
            if (status == WF_NO_MEMORY) failed(status);
            else result = status ? Py_NewRef(Py_None) : PyLong_FromSize_t(out.distinct);
        }
        if (room.obj) PyBuffer_Release(&room);
        PyBuffer_Release(&chosen);
    }
    for (int i = 0; i < 2; i++) PyBuffer_Release(&views[i]);
    return result;
}

static PyObject *beta_logit(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    if (expect(nargs, 3) < 0) return NULL;
    double a = PyFloat_AsDouble(args[0]), b = PyFloat_AsDouble(args[1]);
    double p = PyFloat_AsDouble(args[2]);
    if (PyErr_Occurred()) return NULL;
    if (!(a > 0 && a < INFINITY && b > 0 && b < INFINITY && p > 0 && p < 1)) {
        PyErr_SetString(PyExc_ValueError, "a and b must be above 0, and p between 0 and 1");
        return NULL;
    }
    return PyFloat_FromDouble(wf_beta_logit(a, b, p));
}

static PyObject *differentiate(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    enum { STEPS, CONSTANTS, INPUTS, VALUES, SLOPES, BUFFERS };
    static const struct {
        const char *name;
        int flags;
    } blocks[BUFFERS] = {{"steps", PyBUF_SIMPLE},
                         {"constants", PyBUF_SIMPLE},
                         {"inputs", PyBUF_SIMPLE},
                         {"values", PyBUF_WRITABLE},
                         {"slopes", PyBUF_WRITABLE}};
    Py_buffer views[BUFFERS] = {{0}};
    PyObject *result = NULL;
    int i = 0;
    if (expect(nargs, BUFFERS + 1) < 0) return NULL;
    size_t last = PyLong_AsSize_t(args[BUFFERS]);
    if (PyErr_Occurred()) return NULL;
    while (i < BUFFERS && get_block(args[i], blocks[i].name, i == STEPS ? INT64 : FLOAT64,
                                    blocks[i].flags, &views[i]) == 0)
        i++;
    if (i == BUFFERS) {
        const Py_buffer *of = &views[INPUTS];
        size_t tables = of->ndim == 3 ? (size_t)of->shape[0] : 0;
        if (of->ndim != 3 || views[STEPS].len % 24 || views[SLOPES].len != of->len ||
            (size_t)views[VALUES].len != 8 * tables) {
            PyErr_SetString(PyExc_ValueError,
                            "steps of 3, inputs (tables, inputs, classes), slopes alike, values");
        } else {
            wf_formula formula = {views[STEPS].buf,
                                  (size_t)views[STEPS].len / 24,
                                  views[CONSTANTS].buf,
                                  (size_t)views[CONSTANTS].len / 8,
                                  (size_t)of->shape[1],
                                  (size_t)of->shape[2],
                                  last};
            wf_status status =
                wf_differentiate(&formula, of->buf, tables, views[VALUES].buf, views[SLOPES].buf);
            if (status == WF_OK || status == WF_ZERO) result = PyBool_FromLong(!status);
            else if (status == WF_NO_MEMORY) PyErr_NoMemory();
            else PyErr_SetString(PyExc_ValueError, "steps must be a formula of one number");
        }
    }
    for (int j = 0; j < i; j++) PyBuffer_Release(&views[j]);
    return result;
}

/* The steps and constants of a formula; the caller releases both, whatever happens. */
static int get_formula(PyObject *const *args, size_t inputs, size_t classes, Py_buffer views[2],
                       wf_formula *out)
{
    size_t result = PyLong_AsSize_t(args[2]);
    if (PyErr_Occurred()) return -1;
    if (get_block(args[0], "steps", INT64, PyBUF_SIMPLE, &views[0]) < 0) {
        views[0].obj = NULL;
        return -1;
    }
    if (get_block(args[1], "constants", FLOAT64, PyBUF_SIMPLE, &views[1]) < 0) {
        views[1].obj = NULL;
        return -1;
    }
    if (views[0].len % 24) {
        PyErr_SetString(PyExc_ValueError, "steps have 3 numbers each");
        return -1;
    }
    *out = (wf_formula){views[0].buf, (size_t)views[0].len / 24,
                        views[1].buf, (size_t)views[1].len / 8,
                        inputs,       classes,
                        result};
    return 0;
}

/* What the spread of a score is computed from; None if a number is 0 that must not be. */
static PyObject *spread_tuple(wf_status status, const wf_spread *s)
{
    if (status == WF_OK)
        return Py_BuildValue("(dddddddd)", s->value, s->square, s->cube, s->second, s->least[0],
                             s->least[1], s->least[2], s->least[3]);
    if (status == WF_ZERO) return Py_NewRef(Py_None);
    if (status == WF_NO_MEMORY) return PyErr_NoMemory();
    PyErr_SetString(PyExc_ValueError, "steps must be a formula of one number of tp, fp, fn and tn");
    return NULL;
}

static PyObject *class_spread(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Py_buffer views[2] = {{0}};
    wf_formula formula;
    wf_spread spread;
    double kinds[4];
    PyObject *result = NULL;
    if (expect(nargs, 8) < 0) return NULL;
    for (int i = 0; i < 4; i++) kinds[i] = PyFloat_AsDouble(args[3 + i]);
    int bent = PyObject_IsTrue(args[7]);
    if (PyErr_Occurred()) return NULL;
    if (get_formula(args, 4, 1, views, &formula) == 0)
        result = spread_tuple(wf_class_spread(&formula, kinds, bent, &spread), &spread);
    for (int i = 0; i < 2; i++)
        if (views[i].obj) PyBuffer_Release(&views[i]);
    return result;
}

/* A formula of a ranking: its value, positives, negatives, highest and lowest score; None if a label is
 * neither 0 nor 1 or a score is NaN. */
static PyObject *rank_value(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Py_buffer views[2], blocks[2] = {{0}};
    wf_column columns[2];
    wf_formula formula;
    wf_rank_score score;
    PyObject *result = NULL;
    if (expect(nargs, 5) < 0 || get_scored(args, views, columns) < 0) return NULL;
    if (get_formula(args + 2, 5, 0, blocks, &formula) == 0) {
        wf_status status =
            wf_rank_value(&formula, &columns[0], &columns[1], (size_t)views[0].shape[0], &score);
        if (status == WF_NO_MEMORY) failed(status);
        else if (status) result = Py_NewRef(Py_None);
        else
            result = Py_BuildValue("(ddddd)", score.value, score.positives, score.negatives,
                                   score.highest, score.lowest);
    }
    for (int i = 0; i < 2; i++) {
        PyBuffer_Release(&views[i]);
        if (blocks[i].obj) PyBuffer_Release(&blocks[i]);
    }
    return result;
}

/* A formula of bins: of Σ (y − p) and the number of items; None if a label is neither 0 nor 1 or a
 * score outside [0, 1]. */
static PyObject *bin_value(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Py_buffer views[2], inner, blocks[2] = {{0}};
    wf_column columns[2];
    wf_formula formula;
    PyObject *result = NULL;
    double value = 0;
    int threads = expect(nargs, 7) < 0 ? -1 : threads_of(args[6]);
    if (threads < 0 || get_scored(args, views, columns) < 0) return NULL;
    if (get_block(args[2], "edges", FLOAT64, PyBUF_SIMPLE, &inner) == 0) {
        size_t bins = (size_t)inner.len / 8 + 1;
        double *sums = malloc(3 * bins * sizeof *sums);
        wf_status status = sums ? WF_OK : WF_NO_MEMORY;
        if (get_formula(args + 3, 2, bins, blocks, &formula) == 0) {
            Py_BEGIN_ALLOW_THREADS
            if (!status)
                status = wf_bin(&columns[0], &columns[1], (size_t)views[0].shape[0], inner.buf,
                                bins, threads, sums);
            if (!status) {
                for (size_t i = 0; i < bins; i++) {
                    double items = sums[i];
                    sums[i] = sums[bins + i] - sums[2 * bins + i];
                    sums[bins + i] = items;
                }
                status = wf_evaluate(&formula, sums, &value);
            }
            Py_END_ALLOW_THREADS
            if (status == WF_NO_MEMORY) failed(status);
            else result = status ? Py_NewRef(Py_None) : PyFloat_FromDouble(value);
        }
        free(sums);
        PyBuffer_Release(&inner);
    }
    for (int i = 0; i < 2; i++) {
        PyBuffer_Release(&views[i]);
        if (blocks[i].obj) PyBuffer_Release(&blocks[i]);
    }
    return result;
}

/* Numbers of 8 bytes, in an array or as they are. */
static int get_numbers(PyObject *object, const char *name, item_type type, Py_buffer *view)
{
    if (!PyBytes_Check(object)) return get_block(object, name, type, PyBUF_SIMPLE, view);
    return PyObject_GetBuffer(object, view, PyBUF_SIMPLE);
}

static PyObject *table_value(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    Py_buffer views[2] = {{0}}, margins;
    wf_formula formula;
    double value;
    PyObject *result = NULL;
    if (expect(nargs, 4) < 0 || get_numbers(args[3], "margins", FLOAT64, &margins) < 0) return NULL;
    if (get_formula(args, 4, (size_t)margins.len / 24, views, &formula) == 0) {
        wf_status status = wf_table_value(&formula, margins.buf, &value);
        if (status == WF_ZERO) result = Py_NewRef(Py_None);
        else result = status ? failed(status) : PyFloat_FromDouble(value);
    }
    for (int i = 0; i < 2; i++)
        if (views[i].obj) PyBuffer_Release(&views[i]);
    PyBuffer_Release(&margins);
    return result;
}

static PyObject *table_spread(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    enum { MARGINS, TRUE_, PREDICTED, COUNT, BUFFERS };
    static const char *names[BUFFERS] = {"margins", "true", "predicted", "count"};
    Py_buffer views[2] = {{0}}, blocks[BUFFERS] = {{0}};
    wf_formula formula;
    wf_spread spread;
    PyObject *result = NULL;
    int held = 0, every;
    if (expect(nargs, 8) < 0 || (every = PyObject_IsTrue(args[7])) < 0) return NULL;
    for (; held < BUFFERS; held++) {
        if (args[3 + held] == Py_None) continue;
        item_type type = held == TRUE_ || held == PREDICTED ? INT64 : FLOAT64;
        if (get_numbers(args[3 + held], names[held], type, &blocks[held]) == 0) continue;
        blocks[held].obj = NULL;
        break;
    }
    if (held == BUFFERS) {
        const Py_buffer *of = &blocks[TRUE_];
        int apart = blocks[COUNT].obj != NULL;
        size_t cells = (size_t)of->len / (apart ? 8 : 16), k = (size_t)blocks[MARGINS].len / 24;
        wf_table_cells table = {of->buf, blocks[PREDICTED].buf,
                                apart ? blocks[COUNT].buf : (double *)of->buf + cells, cells};
        if (!blocks[MARGINS].obj || !of->obj || (apart && blocks[COUNT].len != of->len) ||
            (blocks[PREDICTED].obj && blocks[PREDICTED].len != of->len))
            PyErr_SetString(PyExc_ValueError, "margins (3, classes), and cells of equal length");
        else if (get_formula(args, 4, k, views, &formula) == 0) {
            wf_status status;
            Py_BEGIN_ALLOW_THREADS
            status = wf_table_spread(&formula, blocks[MARGINS].buf, &table, every, &spread);
            Py_END_ALLOW_THREADS
            result = spread_tuple(status, &spread);
        }
    }
    for (int i = 0; i < BUFFERS; i++)
        if (blocks[i].obj) PyBuffer_Release(&blocks[i]);
    for (int i = 0; i < 2; i++)
        if (views[i].obj) PyBuffer_Release(&views[i]);
    return result;
}

/* The module ---------------------------------------------------------------------------------- */

#define FUNCTION(name, doc) {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, doc}

static PyMethodDef functions[] = {
    FUNCTION(count_pairs, "count_pairs(true, predicted, weights, threads, flush)"),
    FUNCTION(count_table, "count_table(true, predicted, threads, whole)"),
    FUNCTION(count_class, "count_class(true, predicted, threads, positive)"),
    FUNCTION(information, "information(margins, cells)"),
    FUNCTION(information_of_each, "information_of_each(margins, cells, counts, sums)"),
    FUNCTION(margins, "margins(true, predicted, count, sums)"),
    FUNCTION(add_pairs, "add_pairs(true, predicted, codes, low, classes, counts, margins)"),
    FUNCTION(encode_strings, "encode_strings(items, table, strings)"),
    FUNCTION(encode_fixed, "encode_fixed(items)"),
    FUNCTION(rank_table, "rank_table(scores, positive, weights, threads, room)"),
    FUNCTION(order, "order(scores, threads, room)"),
    FUNCTION(contingency, "contingency(margins, cells)"),
    FUNCTION(rank_value, "rank_value(scores, positive, steps, constants, result)"),
    FUNCTION(bin_value, "bin_value(scores, positive, edges, steps, constants, result, threads)"),
    FUNCTION(rank_areas, "rank_areas(scores, positive, threads)"),
    FUNCTION(trapezoid, "trapezoid(x, y, threads)"),
    FUNCTION(group_labels, "group_labels(true, predicted)"),
    FUNCTION(item_labels, "item_labels(true, predicted)"),
    FUNCTION(label_flags, "label_flags(true, scores)"),
    FUNCTION(label_scores, "label_scores(true, other, what, threads)"),
    FUNCTION(placements, "placements(positives, negatives, p, n)"),
    FUNCTION(place_precisions, "place_precisions(positives, negatives, what)"),
    FUNCTION(running, "running(positives, negatives, tp, fp, steps)"),
    FUNCTION(curve, "curve(score, positives, negatives, kind, kept, threads, points[, negatives])"),
    FUNCTION(bucket_counts, "bucket_counts(scores, positive, threads, lines)"),
    FUNCTION(rank_buckets, "rank_buckets(scores, positive, chosen, threads, room)"),
    FUNCTION(bins, "bins(scores, positive, edges, threads, sums)"),
    FUNCTION(losses, "losses(codes, probabilities, floor, tolerance, wanted, threads, each)"),
    FUNCTION(hits, "hits(codes, scores, k, ties, threads)"),
    FUNCTION(sum_rows, "sum_rows(rows, order, starts, threads, sums)"),
    FUNCTION(flips, "flips(count, seed, first, threads, rows)"),
    FUNCTION(multinomial, "multinomial(state, items, share, rows)"),
    FUNCTION(beta_logit, "beta_logit(a, b, p)"),
    FUNCTION(differentiate, "differentiate(steps, constants, inputs, values, slopes, result)"),
    FUNCTION(class_spread, "class_spread(steps, constants, result, tp, fp, fn, tn, bent)"),
    FUNCTION(table_value, "table_value(steps, constants, result, margins)"),
    FUNCTION(table_spread,
             "table_spread(steps, constants, result, margins, true, predicted, count, every)"),
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED}, /* there is no state: each call works on its arguments */
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "_native",
    "The loops of whichf1 in C.",
    0,
    functions,
    slots,
    NULL,
    NULL,
    NULL,
};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&definition); }
