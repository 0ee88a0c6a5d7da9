package dev.mely.examples.sfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPrivateKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The cryptography against the vectors that its RFCs publish. */
class VectorsTest {
  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replaceAll("\\s", ""));
  }

  /** RFC 8439, section 2.8.2. */
  private static final byte[] TEXT =
      ("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future,"
              + " sunscreen would be it.")
          .getBytes(StandardCharsets.US_ASCII);

  private static final byte[] SEALED =
      hex(
          """
          d3 1a 8d 34 64 8e 60 db 7b 86 af bc 53 ef 7e c2
          a4 ad ed 51 29 6e 08 fe a9 e2 b5 a7 36 ee 62 d6
          3d be a4 5e 8c a9 67 12 82 fa fb 69 da 92 72 8b
          1a 71 de 0a 9e 06 0b 29 05 d6 a5 b6 7e cd 3b 36
          92 dd bd 7f 2d 77 8b 8c 98 03 ae e3 28 09 1b 58
          fa b3 24 e4 fa d6 75 94 55 85 80 8b 48 31 d7 bc
          3f f4 de f0 8e 4b 7a 9d e5 76 d2 65 86 ce c6 4b
          61 16
          1a e1 0b 59 4f 09 e2 6a 7e 90 2e cb d0 60 06 91
          """);

  /** A key whose message of a number has the nonce of the RFC. */
  private static TrafficKey rfc8439(int number) throws ProtocolViolation {
    byte[] key = hex("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f");
    byte[] nonce = hex("07 00 00 00 40 41 42 43 44 45 46 47");
    nonce[11] ^= (byte) number;
    TrafficKey made = new TrafficKey(key, nonce, new byte[0]);
    for (int i = 0; i < number; i++) {
      made.seal(ASSOCIATED, TEXT, ByteBuffer.allocate(SEALED.length));
    }
    assertEquals(number, made.used());
    return made;
  }

  private static final byte[] ASSOCIATED = hex("50 51 52 53 c0 c1 c2 c3 c4 c5 c6 c7");

  @ParameterizedTest
  @CsvSource({"0", "1", "7"})
  void chaCha20Poly1305(int number) throws Exception {
    byte[] sealed = new byte[SEALED.length + 3];
    int n = rfc8439(number).seal(ASSOCIATED, TEXT, ByteBuffer.wrap(sealed).position(3));
    assertEquals(SEALED.length, n);
    assertArrayEquals(SEALED, Arrays.copyOfRange(sealed, 3, sealed.length));
    TrafficKey key = rfc8439(number);
    assertArrayEquals(TEXT, key.open(ASSOCIATED, sealed, 3, SEALED.length));
    assertThrows(
        ProtocolViolation.class, () -> key.open(ASSOCIATED, sealed, 3, SEALED.length), "the next");
  }

  @Test
  void eachBitOfASealedTextCounts() throws Exception {
    for (int bit = 0; bit < 8 * SEALED.length; bit++) {
      byte[] flipped = SEALED.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      assertThrows(
          ProtocolViolation.class, () -> rfc8439(0).open(ASSOCIATED, flipped, 0, flipped.length));
    }
    for (int length = 0; length < SEALED.length; length++) {
      int cut = length;
      assertThrows(ProtocolViolation.class, () -> rfc8439(0).open(ASSOCIATED, SEALED, 0, cut));
    }
    byte[] other = ASSOCIATED.clone();
    other[0] ^= 1;
    assertThrows(ProtocolViolation.class, () -> rfc8439(0).open(other, SEALED, 0, SEALED.length));
    assertArrayEquals(TEXT, rfc8439(0).open(ASSOCIATED, SEALED, 0, SEALED.length));
  }

  /** RFC 5869, appendices A.1 to A.3. */
  @ParameterizedTest
  @CsvSource({
    "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b, 000102030405060708090a0b0c,"
        + " f0f1f2f3f4f5f6f7f8f9, 077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5,"
        + " 3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e"
        + "2f303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f,"
        + " 606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f808182838485868788898a8b"
        + "8c8d8e8f909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeaf,"
        + " b0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadb"
        + "dcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff,"
        + " 06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244,"
        + " b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c6"
        + "5e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87",
    "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b, '', '',"
        + " 19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04,"
        + " 8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
  })
  void hkdf(String secret, String salt, String info, String extracted, String expanded) {
    byte[] key = Hkdf.extract(hex(salt), hex(secret));
    assertArrayEquals(hex(extracted), key);
    byte[] first = Arrays.copyOf(hex(expanded), Hkdf.HASH_BYTES); // no more is derived here
    assertArrayEquals(first, Hkdf.expand(key, hex(info), first.length));
    assertArrayEquals(Arrays.copyOf(first, 12), Hkdf.expand(key, hex(info), 12));
    assertThrows(IllegalArgumentException.class, () -> Hkdf.expand(key, hex(info), 33));
  }

  private static PrivateKey x25519(String scalar) throws Exception {
    return KeyFactory.getInstance("X25519")
        .generatePrivate(new XECPrivateKeySpec(NamedParameterSpec.X25519, hex(scalar)));
  }

  /** RFC 7748, sections 5.2 (the second has its top bit set, which is ignored) and 6.1. */
  @ParameterizedTest
  @CsvSource({
    "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4,"
        + " e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c,"
        + " c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
    "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d,"
        + " e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493,"
        + " 95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
    "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a,"
        + " de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f,"
        + " 4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742",
    "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb,"
        + " 8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a,"
        + " 4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742",
  })
  void diffieHellman(String scalar, String point, String shared) throws Exception {
    assertArrayEquals(hex(shared), RawKey.agree(x25519(scalar), hex(point)));
  }

  /** RFC 7748, section 5.2: the result of one round is the scalar of the next. */
  @Test
  void diffieHellmanAThousandTimes() throws Exception {
    byte[] scalar = hex("09" + "00".repeat(31));
    byte[] point = scalar;
    for (int i = 0; i < 1000; i++) {
      byte[] next = RawKey.agree(x25519(HexFormat.of().formatHex(scalar)), point);
      point = scalar;
      scalar = next;
    }
    assertArrayEquals(
        hex("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"), scalar);
  }

  /** RFC 7748, section 6.1: no secret comes of these. */
  @ParameterizedTest
  @CsvSource({
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  })
  void pointsOfSmallOrder(String point) {
    PrivateKey own = RawKey.X25519.generate().getPrivate();
    assertThrows(ProtocolViolation.class, () -> RawKey.agree(own, hex(point)));
  }

  /** RFC 8032, section 7.1, the first and the third. */
  @ParameterizedTest
  @CsvSource({
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a, '',"
        + " e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e397"
        + "01cf9b46bd25bf5f0595bbe24655141438e7a100b",
    "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025, af82,"
        + " 6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f76"
        + "0984dc6594a7c15e9716ed28dc027beceea1ec40a"
  })
  void ed25519(String key, String text, String signature) {
    PublicId id = PublicId.of(hex(key));
    assertTrue(id.hasSigned(hex(text), hex(signature)));
    byte[] forged = hex(signature);
    forged[0] ^= 1;
    assertFalse(id.hasSigned(hex(text), forged));
    assertFalse(id.hasSigned(hex(text + "00"), hex(signature)));
    assertFalse(id.hasSigned(hex(text), new byte[3]));
    assertEquals(id, PublicId.parse(id.toString()));
  }
}
