import { compare, type Comparison } from './compare';
import { decodeWorks, encodeWorks } from './codecs';
import { filterWorks } from './filters';
import { callsPerCpuSecond, inProcessPerCpuSecond, startCost } from './functions';
import { mappingWorks } from './mappings';
import { EVENT_TEXTS, freshRecords } from './sample-events';

const FUNCTION_SECONDS = 5;
const LANGUAGES = ['JavaScript', 'Python'] as const;

const print = (...cells: (string | number)[]): void => {
  const texts = cells.map((cell) =>
    typeof cell === 'number' ? cell.toLocaleString('en', { maximumFractionDigits: 1 }) : cell,
  );
  process.stdout.write(`| ${texts.join(' | ')} |\n`);
};

const heading = (...titles: string[]): void => {
  process.stdout.write('\n');
  print(...titles);
  print(...titles.map(() => '---'));
};

const row = (title: string, { ours, baseline }: Comparison, bar: string): void =>
  print(title, ours, baseline, (baseline / ours).toFixed(2), bar);

const language = (): void => {
  const records = freshRecords();
  const [first] = records;
  const same = records.map(() => first ?? {});
  heading('a CPU second', 'ours', 'by hand', 'times slower', 'bar');
  row('filter, 5 conditions, mixed shapes', compare(...filterWorks(records)), '4');
  row('filter, 5 conditions, one record', compare(...filterWorks(same)), '–');
  row('mapping, 10 expressions, mixed shapes', compare(...mappingWorks(records)), '4');
  row('decode a 1 KB event (JSON.parse)', compare(...decodeWorks(EVENT_TEXTS)), '4');
  row('encode a 1 KB event (JSON.stringify)', compare(...encodeWorks(EVENT_TEXTS)), '4');
};

const functions = async (): Promise<void> => {
  const baseline = inProcessPerCpuSecond(FUNCTION_SECONDS);
  heading('function calls a CPU second', 'in the sandbox', 'in process', 'times slower', 'bar');
  const javaScript = await callsPerCpuSecond('JavaScript', FUNCTION_SECONDS);
  row('JavaScript, batches of 100', { ours: javaScript, baseline }, '5');
  const python = await callsPerCpuSecond('Python', FUNCTION_SECONDS);
  row('Python, batches of 100', { ours: python, baseline }, '5,000 calls');
  heading('start', 'first, ms', 'further, ms', 'first, MiB', 'further, MiB');
  for (const name of LANGUAGES) {
    const { firstMs, furtherMs, firstMiB, furtherMiB } = await startCost(name);
    print(name, firstMs, furtherMs, firstMiB, furtherMiB);
  }
};

/** Measures filters, mappings, codecs and functions beside hand-written code that does the same. */
export const measureLanguage = async (): Promise<void> => {
  language();
  await functions();
};
