// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  let a0 = n; let a1 = a0 + 1; let a2 = a1 + 1; let a3 = a2 + 1; let a4 = a3 + 1
  let a5 = a4 + 1; let a6 = a5 + 1; let a7 = a6 + 1; let a8 = a7 + 1; let a9 = a8 + 1
  let a10 = a9 + 1; let a11 = a10 + 1; let a12 = a11 + 1; let a13 = a12 + 1; let a14 = a13 + 1
  let a15 = a14 + 1; let a16 = a15 + 1; let a17 = a16 + 1; let a18 = a17 + 1; let a19 = a18 + 1
  let a20 = a19 + 1; let a21 = a20 + 1; let a22 = a21 + 1; let a23 = a22 + 1; let a24 = a23 + 1
  let a25 = a24 + 1; let a26 = a25 + 1; let a27 = a26 + 1; let a28 = a27 + 1; let a29 = a28 + 1
  let a30 = a29 + 1; let a31 = a30 + 1; let a32 = a31 + 1; let a33 = a32 + 1; let a34 = a33 + 1
  let a35 = a34 + 1; let a36 = a35 + 1; let a37 = a36 + 1; let a38 = a37 + 1; let a39 = a38 + 1
  let a40 = a39 + 1; let a41 = a40 + 1; let a42 = a41 + 1; let a43 = a42 + 1; let a44 = a43 + 1
  let a45 = a44 + 1; let a46 = a45 + 1; let a47 = a46 + 1; let a48 = a47 + 1; let a49 = a48 + 1
  let a50 = a49 + 1; let a51 = a50 + 1; let a52 = a51 + 1; let a53 = a52 + 1; let a54 = a53 + 1
  let a55 = a54 + 1; let a56 = a55 + 1; let a57 = a56 + 1; let a58 = a57 + 1; let a59 = a58 + 1
  let a60 = a59 + 1; let a61 = a60 + 1; let a62 = a61 + 1; let a63 = a62 + 1; let a64 = a63 + 1
  let a65 = a64 + 1; let a66 = a65 + 1; let a67 = a66 + 1; let a68 = a67 + 1; let a69 = a68 + 1
  let a70 = a69 + 1; let a71 = a70 + 1; let a72 = a71 + 1; let a73 = a72 + 1; let a74 = a73 + 1
  let a75 = a74 + 1; let a76 = a75 + 1; let a77 = a76 + 1; let a78 = a77 + 1; let a79 = a78 + 1
  let a80 = a79 + 1; let a81 = a80 + 1; let a82 = a81 + 1; let a83 = a82 + 1; let a84 = a83 + 1
  let a85 = a84 + 1; let a86 = a85 + 1; let a87 = a86 + 1; let a88 = a87 + 1; let a89 = a88 + 1
  let a90 = a89 + 1; let a91 = a90 + 1; let a92 = a91 + 1; let a93 = a92 + 1; let a94 = a93 + 1
  let a95 = a94 + 1; let a96 = a95 + 1; let a97 = a96 + 1; let a98 = a97 + 1; let a99 = a98 + 1
  let a100 = a99 + 1; let a101 = a100 + 1; let a102 = a101 + 1; let a103 = a102 + 1; let a104 = a103 + 1
  let a105 = a104 + 1; let a106 = a105 + 1; let a107 = a106 + 1; let a108 = a107 + 1; let a109 = a108 + 1
  let a110 = a109 + 1; let a111 = a110 + 1; let a112 = a111 + 1; let a113 = a112 + 1; let a114 = a113 + 1
  let a115 = a114 + 1; let a116 = a115 + 1; let a117 = a116 + 1; let a118 = a117 + 1; let a119 = a118 + 1
  let a120 = a119 + 1; let a121 = a120 + 1; let a122 = a121 + 1; let a123 = a122 + 1; let a124 = a123 + 1
  let a125 = a124 + 1; let a126 = a125 + 1; let a127 = a126 + 1; let a128 = a127 + 1; let a129 = a128 + 1
  let a130 = a129 + 1; let a131 = a130 + 1; let a132 = a131 + 1; let a133 = a132 + 1; let a134 = a133 + 1
  let a135 = a134 + 1; let a136 = a135 + 1; let a137 = a136 + 1; let a138 = a137 + 1; let a139 = a138 + 1
  let a140 = a139 + 1; let a141 = a140 + 1; let a142 = a141 + 1; let a143 = a142 + 1; let a144 = a143 + 1
  let a145 = a144 + 1; let a146 = a145 + 1; let a147 = a146 + 1; let a148 = a147 + 1; let a149 = a148 + 1
  let a150 = a149 + 1; let a151 = a150 + 1; let a152 = a151 + 1; let a153 = a152 + 1; let a154 = a153 + 1
  let a155 = a154 + 1; let a156 = a155 + 1; let a157 = a156 + 1; let a158 = a157 + 1; let a159 = a158 + 1
  let a160 = a159 + 1; let a161 = a160 + 1; let a162 = a161 + 1; let a163 = a162 + 1; let a164 = a163 + 1
  let a165 = a164 + 1; let a166 = a165 + 1; let a167 = a166 + 1; let a168 = a167 + 1; let a169 = a168 + 1
  let a170 = a169 + 1; let a171 = a170 + 1; let a172 = a171 + 1; let a173 = a172 + 1; let a174 = a173 + 1
  let a175 = a174 + 1; let a176 = a175 + 1; let a177 = a176 + 1; let a178 = a177 + 1; let a179 = a178 + 1
  let a180 = a179 + 1; let a181 = a180 + 1; let a182 = a181 + 1; let a183 = a182 + 1; let a184 = a183 + 1
  let a185 = a184 + 1; let a186 = a185 + 1; let a187 = a186 + 1; let a188 = a187 + 1; let a189 = a188 + 1
  let a190 = a189 + 1; let a191 = a190 + 1; let a192 = a191 + 1; let a193 = a192 + 1; let a194 = a193 + 1
  let a195 = a194 + 1; let a196 = a195 + 1; let a197 = a196 + 1; let a198 = a197 + 1; let a199 = a198 + 1
  let a200 = a199 + 1; let a201 = a200 + 1; let a202 = a201 + 1; let a203 = a202 + 1; let a204 = a203 + 1
  let a205 = a204 + 1; let a206 = a205 + 1; let a207 = a206 + 1; let a208 = a207 + 1; let a209 = a208 + 1
  let a210 = a209 + 1; let a211 = a210 + 1; let a212 = a211 + 1; let a213 = a212 + 1; let a214 = a213 + 1
  let a215 = a214 + 1; let a216 = a215 + 1; let a217 = a216 + 1; let a218 = a217 + 1; let a219 = a218 + 1
  let a220 = a219 + 1; let a221 = a220 + 1; let a222 = a221 + 1; let a223 = a222 + 1; let a224 = a223 + 1
  let a225 = a224 + 1; let a226 = a225 + 1; let a227 = a226 + 1; let a228 = a227 + 1; let a229 = a228 + 1
  let a230 = a229 + 1; let a231 = a230 + 1; let a232 = a231 + 1; let a233 = a232 + 1; let a234 = a233 + 1
  let a235 = a234 + 1; let a236 = a235 + 1; let a237 = a236 + 1; let a238 = a237 + 1; let a239 = a238 + 1
  let a240 = a239 + 1; let a241 = a240 + 1; let a242 = a241 + 1; let a243 = a242 + 1; let a244 = a243 + 1
  let a245 = a244 + 1; let a246 = a245 + 1; let a247 = a246 + 1; let a248 = a247 + 1; let a249 = a248 + 1
  let a250 = a249 + 1; let a251 = a250 + 1; let a252 = a251 + 1; let a253 = a252 + 1; let a254 = a253 + 1
  let a255 = a254 + 1; let a256 = a255 + 1; let a257 = a256 + 1; let a258 = a257 + 1; let a259 = a258 + 1
  let a260 = a259 + 1; let a261 = a260 + 1; let a262 = a261 + 1; let a263 = a262 + 1; let a264 = a263 + 1
  let a265 = a264 + 1; let a266 = a265 + 1; let a267 = a266 + 1; let a268 = a267 + 1; let a269 = a268 + 1
  let a270 = a269 + 1; let a271 = a270 + 1; let a272 = a271 + 1; let a273 = a272 + 1; let a274 = a273 + 1
  let a275 = a274 + 1; let a276 = a275 + 1; let a277 = a276 + 1; let a278 = a277 + 1; let a279 = a278 + 1
  let a280 = a279 + 1; let a281 = a280 + 1; let a282 = a281 + 1; let a283 = a282 + 1; let a284 = a283 + 1
  let a285 = a284 + 1; let a286 = a285 + 1; let a287 = a286 + 1; let a288 = a287 + 1; let a289 = a288 + 1
  let a290 = a289 + 1; let a291 = a290 + 1; let a292 = a291 + 1; let a293 = a292 + 1; let a294 = a293 + 1
  let a295 = a294 + 1; let a296 = a295 + 1; let a297 = a296 + 1; let a298 = a297 + 1; let a299 = a298 + 1
  let a300 = a299 + 1; let a301 = a300 + 1; let a302 = a301 + 1; let a303 = a302 + 1; let a304 = a303 + 1
  let a305 = a304 + 1; let a306 = a305 + 1; let a307 = a306 + 1; let a308 = a307 + 1; let a309 = a308 + 1
  let a310 = a309 + 1; let a311 = a310 + 1; let a312 = a311 + 1; let a313 = a312 + 1; let a314 = a313 + 1
  let a315 = a314 + 1; let a316 = a315 + 1; let a317 = a316 + 1; let a318 = a317 + 1; let a319 = a318 + 1
  let a320 = a319 + 1; let a321 = a320 + 1; let a322 = a321 + 1; let a323 = a322 + 1; let a324 = a323 + 1
  let a325 = a324 + 1; let a326 = a325 + 1; let a327 = a326 + 1; let a328 = a327 + 1; let a329 = a328 + 1
  grid (a329)
  role main: warps 1 { st y[0, 0] <- 0.0 }
}
//--- expected
// error[CK6104]: nesting and inlined calls are 401 levels deep here; the limit is 400
//   --> fail_walk_too_deep.cake:74:9
//   74 |   grid (a329)
//      |         ^^^^
//   why: each call is inlined where it stands
