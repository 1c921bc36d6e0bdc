import type { ZonePeriod } from './zone-history';

/** The first bytes of each file of the format. */
export const TZIF_MAGIC = Buffer.from('TZif', 'latin1');

const HEADER_BYTES = 44;
const VERSION_2 = 0x32;
const TYPE_BYTES = 6;
const COUNTS = { transitions: 32, types: 36, abbreviations: 40 };
/** The format requires a type and an abbreviation in the block of version 1, although readers of version 2 skip it. */
const UNREAD_BLOCK = Buffer.alloc(TYPE_BYTES + 1);
/** An empty rule: after the last transition its type applies. */
const NO_RULE = Buffer.from('\n\n', 'latin1');

const header = (transitions: number, types: number, abbreviationBytes: number): Buffer => {
  const bytes = Buffer.alloc(HEADER_BYTES);
  TZIF_MAGIC.copy(bytes);
  bytes.writeUInt8(VERSION_2, TZIF_MAGIC.length);
  bytes.writeUInt32BE(transitions, COUNTS.transitions);
  bytes.writeUInt32BE(types, COUNTS.types);
  bytes.writeUInt32BE(abbreviationBytes, COUNTS.abbreviations);
  return bytes;
};

const indexIn = (texts: string[], text: string): number => {
  const index = texts.indexOf(text);
  return index >= 0 ? index : texts.push(text) - 1;
};

const timeOf = ({ startSeconds }: ZonePeriod): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(startSeconds));
  return bytes;
};

const typeOf = (period: ZonePeriod, abbreviations: string): Buffer => {
  const bytes = Buffer.alloc(TYPE_BYTES);
  bytes.writeInt32BE(period.offsetSeconds);
  bytes.writeUInt8(period.isDaylightSaving ? 1 : 0, 4);
  bytes.writeUInt8(abbreviations.indexOf(`${period.abbreviation}\0`), 5);
  return bytes;
};

/** Writes a time zone file of version 2 (RFC 8536) without a rule for the time after the last period. */
export const writeTzif = (periods: readonly ZonePeriod[]): Buffer => {
  const names = [...new Set(periods.map(({ abbreviation }) => abbreviation))];
  const abbreviations = names.map((name) => `${name}\0`).join('');
  const types: string[] = [];
  const indexes = periods.map((period) =>
    indexIn(types, typeOf(period, abbreviations).toString('latin1')),
  );
  const transitions = periods.slice(1);
  return Buffer.concat([
    header(0, 1, 1),
    UNREAD_BLOCK,
    header(transitions.length, types.length, abbreviations.length),
    ...transitions.map(timeOf),
    Buffer.from(indexes.slice(1)),
    Buffer.from(types.join(''), 'latin1'),
    Buffer.from(abbreviations, 'latin1'),
    NO_RULE,
  ]);
};
