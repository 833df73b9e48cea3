/** The sequence of numbers with which the contract tests the codec of ids: a 64-bit xorshift by 13, 7 and 17. */

/** A function that gives the next number of the sequence, its top bit cleared. */
export function createXorshift(): () => bigint {
  // The 64 bits as two halves, so that the generator costs less than the codec that it tests.
  let high = 0x6a09e667;
  let low = 0xf3bcc909;
  return () => {
    [high, low] = [high ^ ((high << 13) | (low >>> 19)), low ^ (low << 13)];
    [high, low] = [high ^ (high >>> 7), low ^ ((low >>> 7) | (high << 25))];
    [high, low] = [high ^ ((high << 17) | (low >>> 15)), low ^ (low << 17)];
    return (BigInt(high & 0x7fffffff) << 32n) | BigInt(low >>> 0);
  };
}
