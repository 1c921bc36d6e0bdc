import type { Framing } from '../database/whole-messages';

/** Of the length of a packet, and of its number. Source: MySQL, "Protocol Basics", "MySQL Packets". */
const LENGTH_BYTES = 3;
const HEADER_BYTES = 4;

/** The packets of a server of MySQL. One that is longer than 16 MiB is several. */
export const MYSQL_FRAMING: Framing = {
  headerBytes: HEADER_BYTES,
  messageBytes: (bytes, start) => HEADER_BYTES + bytes.readUIntLE(start, LENGTH_BYTES),
  // The driver reads nothing beside a packet, and ends a connection on one that it cannot read.
  check: () => undefined,
};
