// How the fake libraries export: C names, visible although everything else is hidden.
#pragma once

#define CAKE_EXPORT extern "C" __attribute__((visibility("default")))
