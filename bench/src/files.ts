import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type FileFormat,
  FILE_FORMATS,
  openTable,
  type StoredFile,
  writableFile,
} from '@penstock/files';
import { checkedBy } from '@penstock/settings';
import { newRecord, parseJson, parseSchema, type RecordValue } from '@penstock/schema';
import { peakMiB } from './process-usage';
import { cells, heading, print, textOption } from './table';

const ROWS = 1_000_000;
const COLUMNS = 8;
const LINES_AT_A_TIME = 10_000;
/** As the batches of runs. */
const RECORDS_AT_A_TIME = 1_000;
const GIB = 2 ** 30;

/** A csv file of a million rows of eight columns, with names. */
const writeCsv = async (path: string): Promise<void> => {
  const file = createWriteStream(path);
  file.write(`${Array.from({ length: COLUMNS }, (_, n) => `column ${n}`).join(',')}\n`);
  for (let row = 0; row < ROWS; row += LINES_AT_A_TIME) {
    const lines = Array.from({ length: LINES_AT_A_TIME }, (_, n) => {
      const id = row + n;
      return `${id},user${id}@example.com,"Name, of ${id}",${id / 7},true,2026-01-01T00:00:00Z,Roma,${id % 97}\n`;
    });
    if (!file.write(lines.join(''))) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
};

const storedAt = (path: string): StoredFile => {
  const stream = createReadStream(path, { highWaterMark: 262_144 });
  return {
    bytes: stream as AsyncIterable<Uint8Array>,
    modifiedAt: undefined,
    size: statSync(path).size,
    tag: undefined,
    close: () => {
      stream.destroy();
      return Promise.resolve();
    },
  };
};

const formatOf = (code: string): FileFormat => {
  const format = FILE_FORMATS.find((each) => each.code === code);
  if (format === undefined) throw new Error(`no format ${code}`);
  return format;
};

/** Reads a file from its first record to its last one, as an import would, and does nothing with the records. */
const measure = async (path: string, code: string, settings: string): Promise<void> => {
  const format = formatOf(code);
  const options = { spool: { folder: tmpdir(), maxBytes: 100 * GIB } };
  const reading = { format, compression: '', options } as const;
  const sheet = textOption('sheet');
  const startMs = performance.now();
  const table = await openTable(storedAt(path), reading, {
    sheet,
    settings: checkedBy(format.settings)(parseJson(settings)),
  });
  const counts = { records: 0, errors: 0 };
  for await (const batch of table.records)
    for (const record of batch) counts['error' in record ? 'errors' : 'records'] += 1;
  const seconds = (performance.now() - startMs) / 1_000;
  await table.close();
  print(heading('format', 'MB', 'columns', 'records', 'errors', 'records/s', 'peak MiB'));
  print(
    cells(
      code,
      statSync(path).size / 1e6,
      table.schema.properties.length,
      counts.records,
      counts.errors,
      counts.records / seconds,
      peakMiB(process.pid),
    ),
  );
};

/** Columns as profiles have them. */
const WRITTEN = parseSchema(
  parseJson(
    JSON.stringify({
      kind: 'object',
      properties: [
        { name: 'id', type: { kind: 'int', bitSize: 64 } },
        { name: 'email', type: { kind: 'string' } },
        { name: 'name', type: { kind: 'string' } },
        { name: 'score', type: { kind: 'float', bitSize: 64 } },
        { name: 'active', type: { kind: 'boolean' } },
        { name: 'seen', type: { kind: 'datetime' } },
        { name: 'balance', type: { kind: 'decimal', precision: 18, scale: 2 } },
        { name: 'tags', type: { kind: 'array', elementType: { kind: 'string' } } },
      ],
    }),
  ),
);

const written = (n: number): RecordValue =>
  Object.assign(newRecord(), {
    id: BigInt(n),
    email: `user${n}@example.com`,
    name: `Name, of ${n}`,
    score: n / 7,
    active: n % 2 === 0,
    seen: new Date(1_700_000_000_000 + n * 1_000).toISOString(),
    balance: `${n % 1_000}.25`,
    tags: [`tag ${n % 97}`, 'user'],
  });

async function* records(rows: number): AsyncGenerator<readonly RecordValue[]> {
  for (let row = 0; row < rows; row += RECORDS_AT_A_TIME)
    yield await Promise.resolve(
      Array.from({ length: Math.min(RECORDS_AT_A_TIME, rows - row) }, (_, n) => written(row + n)),
    );
}

/** Makes a file and throws its bytes away, as an export to a fast storage would. */
const measureWriting = async (code: string, rows: number): Promise<void> => {
  const format = formatOf(code);
  const needed = code === 'json' ? '{"properties":[{"name":"id"}]}' : '{}';
  const file = writableFile({
    ...{ format, schema: WRITTEN, compression: '', packed: { name: 'users', at: new Date() } },
    settings: checkedBy(format.settings)(parseJson(needed)),
  });
  const startMs = performance.now();
  let bytes = 0;
  for await (const chunk of file.bytes(records(rows))) bytes += chunk.length;
  const seconds = (performance.now() - startMs) / 1_000;
  print(heading('format', 'MB', 'columns', 'records', 'records/s', 'peak MiB'));
  const { length } = WRITTEN.properties;
  print(cells(code, bytes / 1e6, length, rows, rows / seconds, peakMiB(process.pid)));
};

/**
 * Measures how fast a file is read alone, and what memory the process has taken: the file of `--path` and `--format`
 * with the `--settings` of the format, else a csv file that is written first. With `--write` and a format, it is a file of
 * `--rows` records that is written.
 */
export const measureFiles = async (): Promise<void> => {
  const code = textOption('write');
  if (code !== undefined) return measureWriting(code, Number(textOption('rows') ?? ROWS));
  const path = textOption('path');
  if (path !== undefined)
    return measure(path, textOption('format') ?? 'csv', textOption('settings') ?? '{}');
  const folder = mkdtempSync(join(tmpdir(), 'penstock-bench-'));
  try {
    const made = join(folder, 'rows.csv');
    await writeCsv(made);
    await measure(made, 'csv', '{"hasColumnNames":true}');
  } finally {
    rmSync(folder, { recursive: true });
  }
};
