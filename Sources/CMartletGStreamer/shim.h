// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gst/gst.h>
#include <gst/audio/streamvolume.h>
