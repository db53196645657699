// mode: fmt
program   p   target sm_90a
dim N in 1..=4096,M in 1 ..= 8
param  BN in {64,128}=128;  param S in 2..=6 = 4
in x: f32[N,M] stride(s0,1) if M>1,z:bf16 [ N ]
out y: f32[N]
where N%4==0,x in 0 ..N,distinct( x )
kernel k pdl when N>0{
numerics contract   ftz
  grid(ceildiv(N,128),M)
  ring  r [ 2 ]{a:f32[64,64]swizzle 128;b : bf16[ 8 ]}from load,main to main cluster full 2
  smem s[3]:f32[8] padded 4
  event e[1]count 1
  role main:warps 4 regs select( M==3,160,232 ){
    let(a,b)=lanes.argmax( v ,i,32 )
    var acc:wgmma f32[64,BN]=0.0
    for i in 0 .. N/4 step 2 unroll 4{ x [ i ]=-y [i]+ !z*-1 }
    st y[i , 0:+4]<-ld x[ i,: ]else-1.0
    wgmma acc+=r.a@( i-1 )[wg*64:+64,:]*r.b@i . T zero k==0
    tma.load r.a@i<-x[ m:+64,: ] multicast 3 cache evict_first
    arrive e@0 at 1-cluster.rank
    if a<b{ }else if a>b{ x=1 }else{ x=2 }
    while(a<b)&&!c{ a+=1 }
    fn f(q:inout frag,n:const bool)->(i32,f32){ return 1 , 2.0 }
    wait.cluster.relaxed e@0
  }
}
//--- expected
// // mode: fmt
// program p target sm_90a
// dim N in 1..=4096, M in 1 ..= 8
// param BN in {64, 128} = 128; param S in 2..=6 = 4
// in x: f32[N, M] stride (s0, 1) if M > 1, z: bf16[N]
// out y: f32[N]
// where N%4 == 0, x in 0 .. N, distinct(x)
// kernel k pdl when N > 0 {
//   numerics contract ftz
//   grid (ceildiv(N, 128), M)
//   ring r[2] { a: f32[64, 64] swizzle 128; b: bf16[8] } from load, main to main cluster full 2
//   smem s[3]: f32[8] padded 4
//   event e[1] count 1
//   role main: warps 4 regs select(M == 3, 160, 232) {
//     let (a, b) = lanes.argmax(v, i, 32)
//     var acc: wgmma f32[64, BN] = 0.0
//     for i in 0 .. N/4 step 2 unroll 4 { x[i] = -y[i] + !z*-1 }
//     st y[i, 0:+4] <- ld x[i, :] else -1.0
//     wgmma acc += r.a@(i-1)[wg*64:+64, :]*r.b@i.T zero k == 0
//     tma.load r.a@i <- x[m:+64, :] multicast 3 cache evict_first
//     arrive e@0 at 1-cluster.rank
//     if a < b {} else if a > b { x = 1 } else { x = 2 }
//     while (a < b) && !c { a += 1 }
//     fn f(q: inout frag, n: const bool) -> (i32, f32) { return 1, 2.0 }
//     wait.cluster.relaxed e@0
//   }
// }
