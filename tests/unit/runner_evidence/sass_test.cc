// Listings in the form that CUDA Binary Utilities documents.
#include "runner/evidence/sass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runner::evidence {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr char kCuobjdump[] = R"(
Fatbin elf code:
================
arch = sm_90a

	code for sm_90a
		Function : add
	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                   /* 0x00000a00ff017b82 */
                                                                            /* 0x000fe20000000800 */
        /*0010*/                   S2R R6, SR_TID.X ;                       /* 0x0000000000067919 */
        /*0020*/              @!P0 BRA `(.L_x_1) ;                          /* 0x0000000000000947 */
        /*0030*/          LDG.E.128.CONSTANT R4, desc[UR4][R4.64] ; /* 0x0000000404047981 */
        /*0040*/              @P1  LDG.E R8, desc[UR4][R8.64+0x4] ;         /* 0x0000000404047981 */
        /*0050*/                   LDG.E.U8 R9, desc[UR4][R8.64] ;          /* 0x0000000404047981 */
        /*0060*/                   FADD.FTZ R5, R4, R5 ;                    /* 0x0000000404047221 */
        /*0070*/                   HGMMA.64x256x16.F32.BF16 R24, gdesc[UR8], R24 ;
        /*0080*/                   STS.128 [R3], R4 ;                       /* 0x0000000403007388 */
        /*0090*/                   UTMALDG.2D [UR8], [UR4] ;                /* 0x00000004080075b4 */
        /*00a0*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R2], R3 ;
        /*00b0*/                   R2UR UR4, R2 ;
        /*00c0*/                   UIADD3 UR5, UR4, 0x1, URZ ;
        /*00d0*/                   STL [R1], R0 ;
        /*00e0*/                   EXIT ;                                   /* 0x000000000000794d */
.L_x_2:
		..........

		Function : second
        /*0000*/                   EXIT ;
)";

TEST(Sass, CountsByFunctionOpcodeAndClass) {
  const auto kernels = ParseSass(kCuobjdump);
  ASSERT_EQ(kernels.size(), 2u);
  const SassKernel& add = kernels[0];
  EXPECT_EQ(add.name, "add");
  EXPECT_EQ(add.instructions, 15);
  EXPECT_EQ(add.opcodes.at("LDG"), 3);
  EXPECT_EQ(add.classes.at(SassClass::kGlobal), 3);
  EXPECT_EQ(add.classes.at(SassClass::kFloat), 1);
  EXPECT_EQ(add.classes.at(SassClass::kTensor), 1);
  EXPECT_EQ(add.classes.at(SassClass::kShared), 1);
  EXPECT_EQ(add.classes.at(SassClass::kBulkCopy), 1);
  EXPECT_EQ(add.classes.at(SassClass::kSync), 1);
  EXPECT_EQ(add.classes.at(SassClass::kMove), 3);
  EXPECT_EQ(add.classes.at(SassClass::kUniform), 1);
  EXPECT_EQ(add.classes.at(SassClass::kLocal), 1);
  EXPECT_EQ(add.classes.at(SassClass::kControl), 2);
  EXPECT_THAT(add.global_widths, ElementsAre(Pair(1, 1), Pair(4, 1), Pair(16, 1)));
  EXPECT_THAT(add.shared_widths, ElementsAre(Pair(16, 1)));
  EXPECT_EQ(kernels[1].name, "second");
  EXPECT_EQ(kernels[1].instructions, 1);
}

TEST(Sass, SaysWhatStandsOut) {
  const auto kernels = ParseSass(kCuobjdump);
  EXPECT_THAT(FindingsOf(kernels[0]), ElementsAre(HasSubstr("1 accesses of local memory"),
                                                  HasSubstr("2 of 3 accesses of global memory")));
  EXPECT_THAT(FindingsOf(kernels[1]), IsEmpty());
  EXPECT_THAT(ToJson(kernels), HasSubstr("\"global_widths\":{\"1\":1,\"16\":1,\"4\":1}"));
}

TEST(Sass, ReadsNvdisasmToo) {
  const auto kernels = ParseSass(
      "\t.section\t.text.scale,\"ax\",@progbits\n"
      ".text.scale:\n"
      "        /*0000*/                   MOV R1, c[0x0][0x28] ;\n"
      "        /*0010*/                   EXIT ;\n");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, "scale");
  EXPECT_EQ(kernels[0].instructions, 2);
}

TEST(Sass, IgnoresWhatIsNone) {
  EXPECT_THAT(ParseSass(""), IsEmpty());
  EXPECT_THAT(ParseSass("/*0000*/ EXIT ;\n"), IsEmpty());  // of no function
  EXPECT_EQ(ParseSass("Function : f\n/*zz*/ EXIT ;\n/* 0x1 */\n/*0000*/ .byte 3\n")[0].instructions,
            0);
}

TEST(Sass, KnowsNewerOpcodesByTheirBeginnings) {
  EXPECT_EQ(ClassOf("UTCQMMA"), SassClass::kTensor);
  EXPECT_EQ(ClassOf("LDTM"), SassClass::kTensorMemory);
  EXPECT_EQ(ClassOf("UTMAREDG"), SassClass::kBulkCopy);
  EXPECT_EQ(ClassOf("UBRA"), SassClass::kControl);
  EXPECT_EQ(ClassOf("ULOP3"), SassClass::kUniform);
  EXPECT_EQ(ClassOf("ZZZ"), SassClass::kOther);
}

}  // namespace
}  // namespace runner::evidence
