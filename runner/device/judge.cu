// The judge's own kernels: what a run left in memory, told in a few sums and counts, so that the
// memory need not leave the device. They compare and add integers alone. The host makes the same
// sums of what should be there (runner/oracle/fingerprint.h, accepted.h); where anything differs,
// it takes the memory and judges by itself.
typedef unsigned long long CakeWord;

#define CAKE_PARTS_MAX 32
struct CakePart {
  CakeWord address, bytes;
};
struct CakeParts {
  CakePart part[CAKE_PARTS_MAX];
};
struct CakeOutput {
  CakeWord data, low, high, places;
  CakeWord poison, poison_add, poison_modulo, poison_mask;
  CakeWord key, largest;
  unsigned int width, order;
};

// SplitMix64's finaliser, which fingerprints and poison share.
static __device__ __forceinline__ CakeWord CakeMix(CakeWord z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}
#define CAKE_STEP 0x9E3779B97F4A7C15ull

static __device__ __forceinline__ CakeWord CakeTerm(CakeWord key, CakeWord index, CakeWord word) {
  return CakeMix(word ^ (key + index * CAKE_STEP));
}

// One addition a warp.
static __device__ __forceinline__ void CakeAdd(CakeWord* to, CakeWord value) {
#ifdef __CUDACC__
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xFFFFFFFFu, value, step);
  if ((threadIdx.x & 31) == 0 && value != 0) atomicAdd(to, value);
#else
  *to += value;
#endif
}

// Little-endian bytes from an address of any alignment; zeros follow the last one.
static __device__ __forceinline__ CakeWord CakeLoadWord(CakeWord address, CakeWord left) {
  if (left >= 8 && (address & 7) == 0) return *(const CakeWord*)address;
  CakeWord word = 0;
  const unsigned char* bytes = (const unsigned char*)address;
  for (CakeWord i = 0; i < 8 && i < left; ++i) word |= (CakeWord)bytes[i] << (8 * i);
  return word;
}

// Blocks along y: the parts; along x: shares of each.
extern "C" __global__ void cake_judge_parts(CakeParts parts, CakeWord key, CakeWord* sums) {
  const CakePart part = parts.part[blockIdx.y];
  const CakeWord words = (part.bytes + 7) / 8, stride = (CakeWord)gridDim.x * blockDim.x;
  CakeWord sum = 0;
  for (CakeWord i = (CakeWord)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += stride)
    sum += CakeTerm(key, i, CakeLoadWord(part.address + 8 * i, part.bytes - 8 * i));
  CakeAdd(&sums[blockIdx.y], sum);
}

static __device__ __forceinline__ CakeWord CakeLoadElement(CakeWord address, unsigned int width) {
  if (width == 2) return *(const unsigned short*)address;
  if (width == 4) return *(const unsigned int*)address;
  if (width == 1) return *(const unsigned char*)address;
  return *(const CakeWord*)address;
}

// Whether element i is the poison that it began with. It is recognised only where it can stand: the
// modulo costs more than all the rest.
static __device__ __forceinline__ bool CakeIsPoison(const CakeOutput& output, CakeWord i,
                                                    CakeWord bits) {
  const CakeWord beyond = bits - output.poison_add;
  if (output.poison_modulo != 0 && beyond >= output.poison_modulo) return false;
  const CakeWord z = CakeMix(output.poison + i * CAKE_STEP);
  return beyond ==
         (output.poison_modulo == 0 ? z & output.poison_mask : z % output.poison_modulo);
}

// How many places are not the poison that a run begins with.
extern "C" __global__ void cake_judge_poison(CakeOutput output, CakeWord* count) {
  const CakeWord stride = (CakeWord)gridDim.x * blockDim.x;
  CakeWord others = 0;
  for (CakeWord i = (CakeWord)blockIdx.x * blockDim.x + threadIdx.x; i < output.places;
       i += stride) {
    const CakeWord bits = CakeLoadElement(output.data + i * output.width, output.width);
    others += CakeIsPoison(output, i, bits) ? 0 : 1;
  }
  CakeAdd(count, others);
}

// marks: elements outside their bounds; places between elements that lost their poison; elements
// that hold it although they pass; fingerprints of the elements and of the bounds that were read.
extern "C" __global__ void cake_judge_output(CakeOutput output, CakeWord* marks) {
  const CakeWord all = ~0ull >> (64 - 8 * output.width), sign = all ^ (all >> 1);
  const CakeWord stride = (CakeWord)gridDim.x * blockDim.x;
  CakeWord wrong = 0, between = 0, poisoned = 0, outputs = 0, accepted = 0;
  for (CakeWord i = (CakeWord)blockIdx.x * blockDim.x + threadIdx.x; i < output.places;
       i += stride) {
    const CakeWord at = i * output.width;
    const CakeWord bits = CakeLoadElement(output.data + at, output.width);
    const CakeWord low = CakeLoadElement(output.low + at, output.width);
    const CakeWord high = CakeLoadElement(output.high + at, output.width);
    accepted += CakeTerm(output.key, 2 * i, low) + CakeTerm(output.key, 2 * i + 1, high);
    const bool bounded = low <= high, poison = CakeIsPoison(output, i, bits);
    if (!bounded && low == 1) {
      between += poison ? 0 : 1;
      continue;
    }
    outputs += CakeTerm(output.key, i, bits);
    CakeWord code = bits;
    if (output.order != 0) code = bits ^ sign;
    if (output.order == 2 && (bits & sign) != 0) code = bits ^ all;
    const bool nan = output.order == 2 && (bits & ~sign) > output.largest;
    const bool passes = bounded ? low <= code && code <= high : low == 2 && nan;
    wrong += passes ? 0 : 1;
    poisoned += passes && poison ? 1 : 0;
  }
  CakeAdd(&marks[0], wrong);
  CakeAdd(&marks[1], between);
  CakeAdd(&marks[2], poisoned);
  CakeAdd(&marks[3], outputs);
  CakeAdd(&marks[4], accepted);
}
