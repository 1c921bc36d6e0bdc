/** Types of chunks. Source: the framing format of Snappy, 4. */
export const COMPRESSED = 0x00;
/** A chunk whose data is stored as it is. */
export const UNCOMPRESSED = 0x01;
/** The chunk with which each stream begins. */
export const IDENTIFIER = 0xff;

/** What the identifier holds. */
export const NAME = 'sNaPpY';
/** Bytes of the type and the length of a chunk. */
export const HEAD_BYTES = 4;
/** Bytes that a chunk holds at most, decompressed. */
export const MAX_BLOCK = 65_536;
const CRC_ADDEND = 0xa282ead8;

/** The form in which a check sum is stored. Source: the framing format of Snappy, 3. */
export const masked = (crc: number): number => (((crc >>> 15) | (crc << 17)) + CRC_ADDEND) >>> 0;
