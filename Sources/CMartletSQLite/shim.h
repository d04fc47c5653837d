// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sqlite3.h>

// Stands for SQLITE_TRANSIENT: a cast of -1 to a function pointer, which Swift does not import.
static inline sqlite3_destructor_type martlet_sqlite_transient(void) {
    return SQLITE_TRANSIENT;
}

// Stands for sqlite3_db_config() with a switch: the function is variadic.
static inline int martlet_sqlite_set(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}
