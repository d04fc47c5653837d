// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <uchardet.h>
// The converter that goes with the detector; the Glibc module does not carry it.
#include <iconv.h>
