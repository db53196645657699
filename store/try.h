// Early return of a bad status; for .cc files of this folder.
#pragma once

#include "absl/status/status.h"

#define CAKE_STORE_TRY(expr)                                 \
  do {                                                       \
    if (absl::Status try_ = (expr); !try_.ok()) return try_; \
  } while (false)

#define CAKE_STORE_CONCAT_(a, b) a##b
#define CAKE_STORE_NAME_(line) CAKE_STORE_CONCAT_(try_or_, line)
#define CAKE_STORE_ASSIGN(lhs, expr)                                                \
  auto CAKE_STORE_NAME_(__LINE__) = (expr);                                         \
  if (!CAKE_STORE_NAME_(__LINE__).ok()) return CAKE_STORE_NAME_(__LINE__).status(); \
  lhs = *std::move(CAKE_STORE_NAME_(__LINE__))
