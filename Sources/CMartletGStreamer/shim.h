// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gst/audio/streamvolume.h>
#include <gst/gst.h>

// Stand-ins for what Swift cannot call: variadic functions and function-like macros. Each names its original.

// g_object_set(object, name, value, NULL), one for each type of value.
static inline void martlet_set_string(gpointer object, const char *name, const char *value) {
    g_object_set(object, name, value, NULL);
}
static inline void martlet_set_int(gpointer object, const char *name, gint value) {
    g_object_set(object, name, value, NULL);
}
static inline void martlet_set_int64(gpointer object, const char *name, gint64 value) {
    g_object_set(object, name, value, NULL);
}
static inline void martlet_set_fraction(gpointer object, const char *name, gint numerator, gint denominator) {
    g_object_set(object, name, numerator, denominator, NULL);
}
static inline void martlet_set_object(gpointer object, const char *name, gpointer value) {
    g_object_set(object, name, value, NULL);
}

// g_object_get(object, name, &value, NULL).
static inline gboolean martlet_get_boolean(gpointer object, const char *name) {
    gboolean value = FALSE;
    g_object_get(object, name, &value, NULL);
    return value;
}

// g_object_get(object, name, &value, NULL) for a property of type guint64.
static inline guint64 martlet_get_uint64(gpointer object, const char *name) {
    guint64 value = 0;
    g_object_get(object, name, &value, NULL);
    return value;
}

// g_object_class_find_property(G_OBJECT_GET_CLASS(object), name).
static inline gboolean martlet_has_property(gpointer object, const char *name) {
    return g_object_class_find_property(G_OBJECT_GET_CLASS(object), name) != NULL;
}

// GST_IS_BIN(object), GST_IS_ELEMENT(object), GST_IS_STREAM_VOLUME(object).
static inline gboolean martlet_is_bin(gpointer object) { return GST_IS_BIN(object); }
static inline gboolean martlet_is_element(gpointer object) { return GST_IS_ELEMENT(object); }
static inline gboolean martlet_is_stream_volume(gpointer object) { return GST_IS_STREAM_VOLUME(object); }

// gst_structure_new(name, …) with up to three numbers, as an application message of `source`.
static inline GstMessage *martlet_application_message(GstObject *source, const char *name, guint64 a, guint64 b,
                                                      guint64 c) {
    return gst_message_new_application(
        source, gst_structure_new(name, "a", G_TYPE_UINT64, a, "b", G_TYPE_UINT64, b, "c", G_TYPE_UINT64, c, NULL));
}

// g_signal_emit_by_name(object, …) for appsrc's action signals.
static inline GstFlowReturn martlet_push_buffer(gpointer appsrc, GstBuffer *buffer) {
    GstFlowReturn result = GST_FLOW_ERROR;
    g_signal_emit_by_name(appsrc, "push-buffer", buffer, &result);
    return result;
}
static inline GstFlowReturn martlet_end_of_stream(gpointer appsrc) {
    GstFlowReturn result = GST_FLOW_ERROR;
    g_signal_emit_by_name(appsrc, "end-of-stream", &result);
    return result;
}

// gst_tag_list_add(list, GST_TAG_MERGE_APPEND, tag, value, NULL), one for each type of value.
static inline void martlet_add_string_tag(GstTagList *list, const char *tag, const char *value) {
    gst_tag_list_add(list, GST_TAG_MERGE_APPEND, tag, value, NULL);
}
static inline void martlet_add_uint_tag(GstTagList *list, const char *tag, guint value) {
    gst_tag_list_add(list, GST_TAG_MERGE_APPEND, tag, value, NULL);
}
static inline void martlet_add_date_tag(GstTagList *list, const char *tag, const GstDateTime *value) {
    gst_tag_list_add(list, GST_TAG_MERGE_APPEND, tag, value, NULL);
}
static inline void martlet_add_sample_tag(GstTagList *list, const char *tag, const GstSample *value) {
    gst_tag_list_add(list, GST_TAG_MERGE_APPEND, tag, value, NULL);
}

// GST_TAG_SETTER(element), gst_tag_setter_merge_tags(…).
static inline void martlet_set_tags(GstElement *element, const GstTagList *list) {
    gst_tag_setter_merge_tags(GST_TAG_SETTER(element), list, GST_TAG_MERGE_REPLACE);
}

// gst_structure_new("stream-properties", …) for pulsesink.
static inline GstStructure *martlet_stream_properties(const char *name, const char *icon) {
    return gst_structure_new("props", "media.role", G_TYPE_STRING, "music", "application.name", G_TYPE_STRING, name,
                             "application.icon_name", G_TYPE_STRING, icon, NULL);
}
static inline void martlet_set_structure(gpointer object, const char *name, GstStructure *value) {
    g_object_set(object, name, value, NULL);
}

// GST_BIN(bin) and a walk with GValue: whether a bin holds an element of this factory.
static inline gboolean martlet_contains_factory(GstElement *bin, const char *factory) {
    if (!GST_IS_BIN(bin)) return FALSE;
    GstIterator *elements = gst_bin_iterate_recurse(GST_BIN(bin));
    GValue item = G_VALUE_INIT;
    gboolean found = FALSE;
    while (!found && gst_iterator_next(elements, &item) == GST_ITERATOR_OK) {
        GstElementFactory *made_by = gst_element_get_factory(GST_ELEMENT(g_value_get_object(&item)));
        found = made_by != NULL && g_strcmp0(GST_OBJECT_NAME(made_by), factory) == 0;
        g_value_unset(&item);
    }
    gst_iterator_free(elements);
    return found;
}

// GST_BIN(bin) and a walk with GValue: brings a bin's elements of this factory to NULL, and keeps them there.
static inline void martlet_lock_down(GstElement *bin, const char *factory) {
    GstIterator *elements = gst_bin_iterate_elements(GST_BIN(bin));
    GValue item = G_VALUE_INIT;
    GstIteratorResult result;
    while ((result = gst_iterator_next(elements, &item)) != GST_ITERATOR_DONE && result != GST_ITERATOR_ERROR) {
        if (result == GST_ITERATOR_RESYNC) {
            gst_iterator_resync(elements);
            continue;
        }
        GstElement *element = GST_ELEMENT(g_value_get_object(&item));
        GstElementFactory *made_by = gst_element_get_factory(element);
        if (made_by != NULL && g_strcmp0(GST_OBJECT_NAME(made_by), factory) == 0) {
            gst_element_set_locked_state(element, TRUE);
            gst_element_set_state(element, GST_STATE_NULL);
        }
        g_value_unset(&item);
    }
    gst_iterator_free(elements);
}

// g_object_get(sink, "last-sample", &sample, NULL).
static inline GstSample *martlet_get_last_sample(gpointer sink) {
    GstSample *sample = NULL;
    g_object_get(sink, "last-sample", &sample, NULL);
    return sample;
}
