package dev.mely;

/**
 * Stack for changes that must not be broken off. A {@code StackOverflowError} can strike at any
 * call: between the swap of a mailbox and the link, where it would cut a foreign color's queue in
 * two, or inside a ring or a heap. So each operation on shared structures begins with {@link
 * #check}, and the error comes before anything has changed, or not at all.
 *
 * <p>As a method is entered, HotSpot makes sure that its frame fits on the stack as the interpreter
 * would lay it out; for compiled code too, with all that is inlined, since it may fall back to the
 * interpreter at any point. The frame below is made wide by unused locals. Compiled, they are gone
 * from the code, but not from that check, which costs a store to each page: little beside a
 * registration. While all is interpreted it costs a microsecond.
 *
 * <p>What it does not promise: anything on a virtual machine that checks less, and anything about
 * users' code that runs inside, as a poller's wake-up does, and needs more. What breaks in spite of
 * it is at least known, see {@link Scheduler#torn}.
 */
final class StackReserve {
  /**
   * Depth of the recursion. One: two frames, 16 KB. Not a constant, or the compiler would remove
   * the call.
   */
  private static int more = 1;

  private StackReserve() {}

  /**
   * Makes sure that there is stack for one registration, of any kind, and its wake-ups.
   *
   * @throws StackOverflowError if there is not
   */
  static void check() {
    check(more);
  }

  @SuppressWarnings("UnusedVariable") // they only take room
  private static void check(int deeper) {
    long aa0, aa1, aa2, aa3, aa4, aa5, aa6, aa7, aa8, aa9, aaa, aab, aac, aad, aae, aaf;
    long ab0, ab1, ab2, ab3, ab4, ab5, ab6, ab7, ab8, ab9, aba, abb, abc, abd, abe, abf;
    long ac0, ac1, ac2, ac3, ac4, ac5, ac6, ac7, ac8, ac9, aca, acb, acc, acd, ace, acf;
    long ad0, ad1, ad2, ad3, ad4, ad5, ad6, ad7, ad8, ad9, ada, adb, adc, add, ade, adf;
    long ae0, ae1, ae2, ae3, ae4, ae5, ae6, ae7, ae8, ae9, aea, aeb, aec, aed, aee, aef;
    long af0, af1, af2, af3, af4, af5, af6, af7, af8, af9, afa, afb, afc, afd, afe, aff;
    long ag0, ag1, ag2, ag3, ag4, ag5, ag6, ag7, ag8, ag9, aga, agb, agc, agd, age, agf;
    long ah0, ah1, ah2, ah3, ah4, ah5, ah6, ah7, ah8, ah9, aha, ahb, ahc, ahd, ahe, ahf;
    long aj0, aj1, aj2, aj3, aj4, aj5, aj6, aj7, aj8, aj9, aja, ajb, ajc, ajd, aje, ajf;
    long ak0, ak1, ak2, ak3, ak4, ak5, ak6, ak7, ak8, ak9, aka, akb, akc, akd, ake, akf;
    long al0, al1, al2, al3, al4, al5, al6, al7, al8, al9, ala, alb, alc, ald, ale, alf;
    long am0, am1, am2, am3, am4, am5, am6, am7, am8, am9, ama, amb, amc, amd, ame, amf;
    long an0, an1, an2, an3, an4, an5, an6, an7, an8, an9, ana, anb, anc, and, ane, anf;
    long ap0, ap1, ap2, ap3, ap4, ap5, ap6, ap7, ap8, ap9, apa, apb, apc, apd, ape, apf;
    long aq0, aq1, aq2, aq3, aq4, aq5, aq6, aq7, aq8, aq9, aqa, aqb, aqc, aqd, aqe, aqf;
    long ar0, ar1, ar2, ar3, ar4, ar5, ar6, ar7, ar8, ar9, ara, arb, arc, ard, are, arf;
    long ba0, ba1, ba2, ba3, ba4, ba5, ba6, ba7, ba8, ba9, baa, bab, bac, bad, bae, baf;
    long bb0, bb1, bb2, bb3, bb4, bb5, bb6, bb7, bb8, bb9, bba, bbb, bbc, bbd, bbe, bbf;
    long bc0, bc1, bc2, bc3, bc4, bc5, bc6, bc7, bc8, bc9, bca, bcb, bcc, bcd, bce, bcf;
    long bd0, bd1, bd2, bd3, bd4, bd5, bd6, bd7, bd8, bd9, bda, bdb, bdc, bdd, bde, bdf;
    long be0, be1, be2, be3, be4, be5, be6, be7, be8, be9, bea, beb, bec, bed, bee, bef;
    long bf0, bf1, bf2, bf3, bf4, bf5, bf6, bf7, bf8, bf9, bfa, bfb, bfc, bfd, bfe, bff;
    long bg0, bg1, bg2, bg3, bg4, bg5, bg6, bg7, bg8, bg9, bga, bgb, bgc, bgd, bge, bgf;
    long bh0, bh1, bh2, bh3, bh4, bh5, bh6, bh7, bh8, bh9, bha, bhb, bhc, bhd, bhe, bhf;
    long bj0, bj1, bj2, bj3, bj4, bj5, bj6, bj7, bj8, bj9, bja, bjb, bjc, bjd, bje, bjf;
    long bk0, bk1, bk2, bk3, bk4, bk5, bk6, bk7, bk8, bk9, bka, bkb, bkc, bkd, bke, bkf;
    long bl0, bl1, bl2, bl3, bl4, bl5, bl6, bl7, bl8, bl9, bla, blb, blc, bld, ble, blf;
    long bm0, bm1, bm2, bm3, bm4, bm5, bm6, bm7, bm8, bm9, bma, bmb, bmc, bmd, bme, bmf;
    long bn0, bn1, bn2, bn3, bn4, bn5, bn6, bn7, bn8, bn9, bna, bnb, bnc, bnd, bne, bnf;
    long bp0, bp1, bp2, bp3, bp4, bp5, bp6, bp7, bp8, bp9, bpa, bpb, bpc, bpd, bpe, bpf;
    long bq0, bq1, bq2, bq3, bq4, bq5, bq6, bq7, bq8, bq9, bqa, bqb, bqc, bqd, bqe, bqf;
    long br0, br1, br2, br3, br4, br5, br6, br7, br8, br9, bra, brb, brc, brd, bre, brf;
    if (deeper > 0) {
      check(deeper - 1);
    }
  }
}
