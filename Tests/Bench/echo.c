// SPDX-License-Identifier: Apache-2.0
// The limit of the bus: a service that does nothing but answer, and a client that does nothing but ask.
//
//     echo serve NAME                     own NAME; answer every call with a reply the size of GetAll(Player)
//     echo ask NAME SECONDS COUNT         GetAll(Player) of NAME: one after another for SECONDS, then COUNT at once,
//                                         five times; prints "sequential CALLS/S P50 P99" (ms) and "pipelined CALLS/S"
//
// Both are built on libdbus alone, without a main loop, so that what is measured is the library, the bus and the
// kernel. The same `ask` measures every player: a client written in Python would measure itself.
#include <dbus/dbus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PATH "/org/mpris/MediaPlayer2"
#define PLAYER "org.mpris.MediaPlayer2.Player"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(const char *what) {
    fprintf(stderr, "echo: %s\n", what);
    exit(1);
}

static DBusConnection *session(void) {
    DBusError error = DBUS_ERROR_INIT;
    DBusConnection *connection = dbus_bus_get_private(DBUS_BUS_SESSION, &error);
    if (!connection) fail(error.message);
    return connection;
}

// MARK: serving

static void entry(DBusMessageIter *map, const char *key, const char *signature, int type, const void *value) {
    DBusMessageIter pair, variant;
    dbus_message_iter_open_container(map, DBUS_TYPE_DICT_ENTRY, NULL, &pair);
    dbus_message_iter_append_basic(&pair, DBUS_TYPE_STRING, &key);
    dbus_message_iter_open_container(&pair, DBUS_TYPE_VARIANT, signature, &variant);
    if (strcmp(signature, "as") == 0) {
        DBusMessageIter list;
        dbus_message_iter_open_container(&variant, DBUS_TYPE_ARRAY, "s", &list);
        dbus_message_iter_append_basic(&list, DBUS_TYPE_STRING, value);
        dbus_message_iter_close_container(&variant, &list);
    } else {
        dbus_message_iter_append_basic(&variant, type, value);
    }
    dbus_message_iter_close_container(&pair, &variant);
    dbus_message_iter_close_container(map, &pair);
}

static void text(DBusMessageIter *map, const char *key, const char *value) {
    entry(map, key, "s", DBUS_TYPE_STRING, &value);
}
static void texts(DBusMessageIter *map, const char *key, const char *value) { entry(map, key, "as", 0, &value); }
static void flag(DBusMessageIter *map, const char *key) {
    dbus_bool_t value = TRUE;
    entry(map, key, "b", DBUS_TYPE_BOOLEAN, &value);
}
static void real(DBusMessageIter *map, const char *key, double value) { entry(map, key, "d", DBUS_TYPE_DOUBLE, &value); }

// What GetAll(Player) says while an album of tagged files plays, made anew for each call as a player makes it.
static void properties(DBusMessage *reply) {
    DBusMessageIter root, map, pair, variant, metadata;
    dbus_message_iter_init_append(reply, &root);
    dbus_message_iter_open_container(&root, DBUS_TYPE_ARRAY, "{sv}", &map);
    text(&map, "PlaybackStatus", "Playing");
    text(&map, "LoopStatus", "Playlist");
    flag(&map, "Shuffle");
    real(&map, "Rate", 1), real(&map, "MinimumRate", 0.5), real(&map, "MaximumRate", 2), real(&map, "Volume", 1);
    dbus_int64_t position = 12345678, length = 30000000;
    entry(&map, "Position", "x", DBUS_TYPE_INT64, &position);
    flag(&map, "CanGoNext"), flag(&map, "CanGoPrevious"), flag(&map, "CanPlay");
    flag(&map, "CanPause"), flag(&map, "CanSeek"), flag(&map, "CanControl");
    const char *key = "Metadata", *track = "/org/martlet/Martlet/entry/12";
    dbus_message_iter_open_container(&map, DBUS_TYPE_DICT_ENTRY, NULL, &pair);
    dbus_message_iter_append_basic(&pair, DBUS_TYPE_STRING, &key);
    dbus_message_iter_open_container(&pair, DBUS_TYPE_VARIANT, "a{sv}", &variant);
    dbus_message_iter_open_container(&variant, DBUS_TYPE_ARRAY, "{sv}", &metadata);
    entry(&metadata, "mpris:trackid", "o", DBUS_TYPE_OBJECT_PATH, &track);
    entry(&metadata, "mpris:length", "x", DBUS_TYPE_INT64, &length);
    text(&metadata, "mpris:artUrl", "file:///var/music/.cache/martlet/artwork/0123456789abcdef0123456789abcdef.jpg");
    text(&metadata, "xesam:url", "file:///var/music/albums/The%20Artist/Gapless%20Album/01%20Album%20Track%2001.flac");
    text(&metadata, "xesam:title", "Album Track 01");
    text(&metadata, "xesam:album", "Gapless Album");
    texts(&metadata, "xesam:artist", "The Artist");
    texts(&metadata, "xesam:albumArtist", "The Album Artist");
    texts(&metadata, "xesam:genre", "Rock");
    text(&metadata, "xesam:contentCreated", "2020-01-01T00:00:00Z");
    dbus_int32_t number = 1;
    entry(&metadata, "xesam:trackNumber", "i", DBUS_TYPE_INT32, &number);
    entry(&metadata, "xesam:discNumber", "i", DBUS_TYPE_INT32, &number);
    dbus_message_iter_close_container(&variant, &metadata);
    dbus_message_iter_close_container(&pair, &variant);
    dbus_message_iter_close_container(&map, &pair);
    dbus_message_iter_close_container(&root, &map);
}

static int serve(const char *name) {
    DBusConnection *connection = session();
    DBusError error = DBUS_ERROR_INIT;
    if (dbus_bus_request_name(connection, name, DBUS_NAME_FLAG_DO_NOT_QUEUE, &error) != DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER)
        fail("the name is taken");
    while (dbus_connection_read_write(connection, -1)) {
        DBusMessage *message;
        while ((message = dbus_connection_pop_message(connection))) {
            if (dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_METHOD_CALL) {
                DBusMessage *reply = dbus_message_new_method_return(message);
                if (dbus_message_has_member(message, "GetAll")) properties(reply);
                dbus_connection_send(connection, reply, NULL);
                dbus_message_unref(reply);
            }
            dbus_message_unref(message);
        }
    }
    return 0;
}

// MARK: asking

static DBusMessage *question(const char *name) {
    const char *interface = PLAYER;
    DBusMessage *call = dbus_message_new_method_call(name, PATH, DBUS_INTERFACE_PROPERTIES, "GetAll");
    dbus_message_append_args(call, DBUS_TYPE_STRING, &interface, DBUS_TYPE_INVALID);
    return call;
}

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Waits for the next reply; an error counts as one, and is told.
static void answer(DBusConnection *connection) {
    for (;;) {
        DBusMessage *message = dbus_connection_pop_message(connection);
        if (!message) {
            if (!dbus_connection_read_write(connection, 10000)) fail("the bus closed the connection");
            continue;
        }
        int type = dbus_message_get_type(message);
        if (type == DBUS_MESSAGE_TYPE_ERROR) fail(dbus_message_get_error_name(message));
        dbus_message_unref(message);
        if (type == DBUS_MESSAGE_TYPE_METHOD_RETURN) return;
    }
}

static void ask_once(DBusConnection *connection, const char *name) {
    DBusMessage *call = question(name);
    if (!dbus_connection_send(connection, call, NULL)) fail("out of memory");
    dbus_message_unref(call);
}

static int ask(const char *name, double seconds, int count) {
    enum { most = 1000000 };
    double *took = malloc(most * sizeof *took);
    DBusConnection *connection = session();
    int done = 0;
    double start = now();
    while (done < most && now() - start < seconds) {
        double before = now();
        ask_once(connection, name);
        dbus_connection_flush(connection);
        answer(connection);
        took[done++] = (now() - before) * 1e3;
    }
    double elapsed = now() - start;
    qsort(took, (size_t)done, sizeof *took, rising);
    printf("sequential %.0f %.4f %.4f\n", done / elapsed, took[done / 2], took[(int)(done * 0.99)]);

    start = now();
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < count; i++) ask_once(connection, name);
        dbus_connection_flush(connection);
        for (int i = 0; i < count; i++) answer(connection);
    }
    printf("pipelined %.0f\n", 5 * count / (now() - start));
    free(took);
    dbus_connection_close(connection);
    dbus_connection_unref(connection);
    return 0;
}

int main(int count, char **arguments) {
    if (count == 3 && strcmp(arguments[1], "serve") == 0) return serve(arguments[2]);
    if (count == 5 && strcmp(arguments[1], "ask") == 0) return ask(arguments[2], atof(arguments[3]), atoi(arguments[4]));
    fail("serve NAME | ask NAME SECONDS COUNT");
}
