/* Codes of Python strings.
 *
 * A string is looked up by its address first, which works if equal strings are mostly the same
 * object; then by its text, if that is ASCII; and at last in the dictionary of all columns.
 */
#include "python_api.h"

#include "kernel.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ADDRESSES = 512, TRIAL = 4096, TEXTS = 4096, STEPS = 64, NO_TEXT = -2 };
enum { AHEAD = 64, HEADER = 64 /* bytes of a str at most before a text that it holds itself */ };

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { LITTLE_ENDIAN_BYTES = 0 };
#else
enum { LITTLE_ENDIAN_BYTES = 1 };
#endif

typedef struct {
    PyObject *item;
    int32_t code;
} seen;

typedef struct {
    const char *text; /* owned by a string that the caller holds; NULL: the slot is free */
    uint64_t first, last;
    Py_ssize_t size;
    int32_t code;
} spelled;

typedef struct {
    seen addresses[ADDRESSES];
    Py_ssize_t misses; /* of addresses; after too many, addresses are no longer looked up */
    spelled *texts;    /* NULL: texts are no longer looked up */
    Py_ssize_t used;
    PyObject *table, *strings;
} memo;

/* The code of a str from the dictionary, to which it is added if new; -1 on error. */
static int32_t code_of(PyObject *item, PyObject *table, PyObject *strings)
{
    PyObject *known = PyDict_GetItemWithError(table, item);
    if (known) return (int32_t)PyLong_AsLong(known);
    if (PyErr_Occurred()) return -1;
    Py_ssize_t code = PyList_Size(strings);
    if (code >= INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "too many distinct strings for 32-bit codes");
        return -1;
    }
    PyObject *number = PyLong_FromSsize_t(code);
    int ok =
        number && PyDict_SetItem(table, item, number) == 0 && PyList_Append(strings, item) == 0;
    Py_XDECREF(number);
    return ok ? (int32_t)code : -1;
}

/* Some items. Their memory is fetched ahead: a str often begins in one line of the cache and ends in
 * another. */
static void gather_items(PyObject *items, const Py_buffer *view, Py_ssize_t at, Py_ssize_t n,
                         PyObject **block)
{
    PyObject *(*get)(PyObject *, Py_ssize_t) =
        PyList_Check(items) ? PyList_GetItem : PyTuple_GetItem;
    for (Py_ssize_t i = 0; i < n; i++) {
        block[i] = view ? *(PyObject **)((char *)view->buf + (at + i) * view->strides[0])
                        : get(items, at + i);
        PREFETCH((char *)block[i]);
        PREFETCH((char *)block[i] + HEADER / 2);
    }
}

/* The first and the last 8 bytes, which may overlap: for up to 16 bytes, the whole text. A shorter one
 * is read with what stands before it, without a branch for each size. */
static spelled spell(const char *text, Py_ssize_t size, int after_header)
{
    spelled key = {text, 0, 0, size, -1};
    if (size >= 8) {
        memcpy(&key.first, text, 8);
        memcpy(&key.last, text + size - 8, 8);
    } else if (after_header && LITTLE_ENDIAN_BYTES) {
        memcpy(&key.last, text + size - 8, 8);
        key.last = key.last >> 1 >> (63 - 8 * size);
    } else {
        for (Py_ssize_t i = 0; i < size; i++) key.last |= (uint64_t)(unsigned char)text[i] << 8 * i;
    }
    return key;
}

/* The slot of a text, or the free slot where it belongs; NULL if that is far from where it should be,
 * as for many texts that differ only in the middle: Python's dictionary is fast for these. */
static spelled *slot_of(const memo *m, const spelled *wanted)
{
    uint64_t mixed = (wanted->first ^ wanted->last * 0x9e3779b97f4a7c15u) + (uint64_t)wanted->size;
    size_t at = (size_t)(mixed * 0xff51afd7ed558ccdu >> 52);
    for (int step = 0; step < STEPS; step++, at = (at + 1) % TEXTS) {
        const spelled *here = &m->texts[at];
        if (!here->text ||
            (here->first == wanted->first && here->last == wanted->last &&
             here->size == wanted->size &&
             (here->size <= 16 || !memcmp(here->text, wanted->text, (size_t)here->size))))
            return &m->texts[at];
    }
    return NULL;
}

static void drop_texts(memo *m)
{
    free(m->texts);
    m->texts = NULL;
}

/* The code of a str by its text, else from the dictionary. Python would cache the UTF-8 form of text
 * that is not ASCII in each string, so such text is left to the dictionary. */
static int32_t code_of_text(memo *m, PyObject *item)
{
    if (!item || !PyUnicode_CheckExact(item)) return NO_TEXT;
    if (m->texts) {
        Py_ssize_t size;
        const char *text = PyUnicode_AsUTF8AndSize(item, &size);
        if (!text) PyErr_Clear(); /* surrogates */
        if (text && size == PyUnicode_GetLength(item)) {
            uintptr_t header = (uintptr_t)text - (uintptr_t)item;
            spelled wanted = spell(text, size, header >= 8 && header <= HEADER);
            spelled *slot = slot_of(m, &wanted);
            if (slot && slot->text) return slot->code;
            wanted.code = code_of(item, m->table, m->strings);
            if (wanted.code < 0) return -1;
            if (slot) *slot = wanted;
            if (!slot || ++m->used > TEXTS / 2) drop_texts(m);
            return wanted.code;
        }
        drop_texts(m);
    }
    return code_of(item, m->table, m->strings);
}

static int32_t remembered(memo *m, PyObject *item)
{
    seen *slot = &m->addresses[((uint64_t)(uintptr_t)item * 0x9e3779b97f4a7c15u) >> 55];
    if (m->misses >= TRIAL) return code_of_text(m, item);
    if (item && slot->item == item) {
        m->misses -= m->misses > 0;
        return slot->code;
    }
    int32_t code = code_of_text(m, item);
    if (code >= 0) *slot = (seen){item, code};
    m->misses++;
    return code;
}

/* Borrowed references are safe: the caller holds the items, and hashing or comparing an exact str
 * runs no foreign code. */
PyObject *wf_encode_strings(PyObject *items, const Py_buffer *view, Py_ssize_t n, PyObject *table,
                            PyObject *strings)
{
    memo known = {.texts = calloc(TEXTS, sizeof(spelled)), .table = table, .strings = strings};
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, n * (Py_ssize_t)sizeof(int32_t));
    int32_t *codes = bytes ? (int32_t *)(void *)PyBytes_AsString(bytes) : NULL;
    PyObject *block[AHEAD];
    for (Py_ssize_t i = 0; codes && i < n; i++) {
        if (i % AHEAD == 0) gather_items(items, view, i, n - i < AHEAD ? n - i : AHEAD, block);
        int32_t code = codes[i] = remembered(&known, block[i % AHEAD]);
        if (code >= 0) continue;
        Py_CLEAR(bytes);
        if (code == NO_TEXT && !PyErr_Occurred()) bytes = Py_NewRef(Py_None);
        break;
    }
    drop_texts(&known);
    return bytes;
}
