import {
  type FileExcerpt,
  type JsonString,
  type ReadFile,
  Refusal,
  REFUSALS,
} from '@penstock/contracts';
import type { FileRecord, FileTable } from '@penstock/files';
import { compileCodec, Invalid, maskedValues, printType, type RecordCodec } from '@penstock/schema';
import { MAX_SEALED_BYTES } from '../read-model/fitting';

/** Issues that an answer has of columns, and of records. */
const MAX_ISSUES = 100;
/** UTF-16 units of an issue, each of which takes three bytes at most. */
const MAX_ISSUE_LENGTH = 300;
const ISSUE_BYTES = 2 * (MAX_ISSUES + 1) * MAX_ISSUE_LENGTH * 3;

type Written = { readonly text: JsonString } | { readonly error: string };

const written = (record: FileRecord, codec: RecordCodec): Written => {
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
  add(record: FileRecord): boolean {
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

/** @throws Refusal InvalidFile when the schema alone does not fit into an answer. */
const bytesLeftBeside = (schema: JsonString): number => {
  const left = MAX_SEALED_BYTES - ISSUE_BYTES - Buffer.byteLength(JSON.stringify(schema));
  if (left > 0) return left;
  const message = `${REFUSALS.InvalidFile.message}: the names of its columns do not fit into an answer`;
  throw new Refusal('InvalidFile', { message });
};

const gather = async (
  { records }: FileTable,
  gathered: Gathered,
  signal: AbortSignal,
): Promise<void> => {
  for await (const batch of records) {
    signal.throwIfAborted();
    if (!batch.every((record) => gathered.add(record))) return;
  }
};

/**
 * The schema and the first records of a table, as many as fit into an answer.
 *
 * @param signal fires when nobody waits for the answer any more. Reading ends then.
 * @throws Refusal InvalidFile
 */
export const excerptOf = async (
  table: FileTable,
  { limit, withValues }: Pick<ReadFile, 'limit' | 'withValues'>,
  signal: AbortSignal,
): Promise<FileExcerpt> => {
  const schema = printType(table.schema);
  const codec = compileCodec(table.schema);
  const gathered = new Gathered(limit, bytesLeftBeside(schema), codec, withValues);
  if (limit > 0) await gather(table, gathered, signal);
  const { records } = gathered;
  return { records, schema, issues: [...cut(table.issues), ...cut(gathered.issues)] };
};
