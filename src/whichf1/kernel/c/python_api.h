/* What the files that know of Python share: module.c and string_memo.c. */
#ifndef WHICHF1_PYTHON_API_H
#define WHICHF1_PYTHON_API_H

/* One binary serves every version from 3.11 on. The free-threaded build has no stable interface yet;
 * setup.py defines Py_GIL_DISABLED for it, where Python's own headers may not. */
#ifndef Py_GIL_DISABLED
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* string_memo.c: codes of Python strings ------------------------------------------------------- */

/* Codes (int32_t, as bytes) of n items of a list or tuple, or of the object array behind the view
 * if there is one. New strings are added to the table (a dict of codes) and to the list of strings.
 * Returns None if an item is not exactly a str. */
PyObject *wf_encode_strings(PyObject *items, const Py_buffer *view, Py_ssize_t n, PyObject *table,
                            PyObject *strings);

#endif
