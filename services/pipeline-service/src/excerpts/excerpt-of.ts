import { type JsonString, Refusal, type RefusalCode, REFUSALS } from '@penstock/contracts';
import {
  compileCodec,
  Invalid,
  maskedValues,
  printType,
  type RecordCodec,
  type RecordValue,
  type Schema,
} from '@penstock/schema';
import { MAX_SEALED_BYTES } from '../read-model/fitting';

/** Issues that an answer has of columns, and of records. */
const MAX_ISSUES = 100;
/** UTF-16 units of an issue, each of which takes three bytes at most. */
const MAX_ISSUE_LENGTH = 300;
const ISSUE_BYTES = 2 * (MAX_ISSUES + 1) * MAX_ISSUE_LENGTH * 3;

/** A record of a file or a row of a database, or why there is none. */
type GivenRecord =
  | { readonly row: number; readonly values: RecordValue }
  | { readonly row: number; readonly error: string };

/** A table of a file, or the rows of a query. */
export interface Records {
  readonly schema: Schema;
  /** Columns that are left out, and why. */
  readonly issues: readonly string[];
  readonly records: AsyncIterable<readonly GivenRecord[]>;
}

/** What is taken of {@link Records}. */
export interface ExcerptWanted {
  /** How many records at most. */
  readonly limit: number;
  /** Whether the caller may see values; else each is masked. */
  readonly withValues: boolean;
  /** The refusal of columns that do not fit into an answer. */
  readonly tooLarge: RefusalCode;
}

/** The schema and the first records. */
export interface Excerpt {
  readonly records: readonly JsonString[];
  readonly schema: JsonString;
  /** What is left out, and why: columns, then records. */
  readonly issues: readonly string[];
}

type Written = { readonly text: JsonString } | { readonly error: string };

const written = (record: GivenRecord, codec: RecordCodec): Written => {
  if ('error' in record) return { error: record.error };
  try {
    return { text: codec.encode(record.values) };
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return { error: error.issues.map(({ path, message }) => `${path} ${message}`).join(', ') };
  }
};

const cut = (issues: readonly string[]): readonly string[] =>
  [
    ...issues.slice(0, MAX_ISSUES),
    ...(issues.length > MAX_ISSUES ? [`${String(issues.length - MAX_ISSUES)} more`] : []),
  ].map((issue) => issue.slice(0, MAX_ISSUE_LENGTH).replace(/\p{Cs}/gu, '\ufffd'));

/** Gathers the records of an answer, and what is wrong with others. */
class Gathered {
  readonly records: JsonString[] = [];
  readonly issues: string[] = [];
  /** Whether nothing more is taken, although the limit is not reached. */
  private ended = false;

  constructor(
    private readonly limit: number,
    private bytesLeft: number,
    private readonly codec: RecordCodec,
    private readonly withValues: boolean,
  ) {}

  /** @returns whether more is wanted. */
  add(record: GivenRecord): boolean {
    if (this.ended || this.records.length >= this.limit) return false;
    const result = written(record, this.codec);
    if ('error' in result) this.issues.push(`row ${String(record.row)}: ${result.error}`);
    else this.take(this.withValues ? result.text : maskedValues(result.text), record.row);
    if (this.issues.length > MAX_ISSUES) this.ended = true;
    return !this.ended && this.records.length < this.limit;
  }

  private take(text: JsonString, row: number): void {
    this.bytesLeft -= Buffer.byteLength(JSON.stringify(text)) + 1;
    if (this.bytesLeft >= 0) {
      this.records.push(text);
      return;
    }
    this.ended = true;
    this.issues.push(`row ${String(row)} and those after it do not fit into an answer`);
  }
}

/** @throws Refusal when the schema alone does not fit into an answer. */
const bytesLeftBeside = (schema: JsonString, tooLarge: RefusalCode): number => {
  const left = MAX_SEALED_BYTES - ISSUE_BYTES - Buffer.byteLength(JSON.stringify(schema));
  if (left > 0) return left;
  const message = `${REFUSALS[tooLarge].message}: the names of its columns do not fit into an answer`;
  throw new Refusal(tooLarge, { message });
};

const gather = async (
  { records }: Records,
  gathered: Gathered,
  signal: AbortSignal,
): Promise<void> => {
  for await (const batch of records) {
    signal.throwIfAborted();
    if (!batch.every((record) => gathered.add(record))) return;
  }
};

/**
 * The schema and the first records, as many as fit into an answer.
 *
 * @param signal fires when nobody waits for the answer any more. Reading ends then.
 * @throws Refusal `tooLarge`
 */
export const excerptOf = async (
  table: Records,
  { limit, withValues, tooLarge }: ExcerptWanted,
  signal: AbortSignal,
): Promise<Excerpt> => {
  const schema = printType(table.schema);
  const codec = compileCodec(table.schema);
  const gathered = new Gathered(limit, bytesLeftBeside(schema, tooLarge), codec, withValues);
  if (limit > 0) await gather(table, gathered, signal);
  const { records } = gathered;
  return { records, schema, issues: [...cut(table.issues), ...cut(gathered.issues)] };
};
