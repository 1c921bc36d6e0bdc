import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Allowance, type GuestSizes } from '../guest/allowance';
import { type Engine, OutOfMemory } from '../guest/engine';
import { Inbox } from '../guest/inbox';
import { JournalWriter } from '../guest/journal';
import type { Report } from '../guest/report';
import { JavaScriptEngine } from '../javascript/javascript-engine';
import { servePython } from '../python/serve-python';
import { unpackTexts } from '../wire/packed-texts';
import type { LanguageModules } from './language-modules';

export interface ThreadData {
  readonly modules: LanguageModules;
  readonly sizes: GuestSizes;
  readonly jobs: MessagePort;
  readonly signal: Int32Array<SharedArrayBuffer>;
  readonly journal: SharedArrayBuffer;
  readonly allowance: SharedArrayBuffer;
}

const report = (what: Report): void => parentPort?.postMessage(what);

const serve = (engine: Engine, inbox: Inbox, journal: JournalWriter): void => {
  report({ kind: 'ready' });
  for (;;) {
    const job = inbox.next();
    if (job.kind === 'load') {
      const refusal = engine.load(job.program);
      report({ kind: 'loaded', ...(refusal && { refusal }) });
      continue;
    }
    journal.begin();
    for (const record of unpackTexts(job.records)) journal.append(engine.call(record));
    report({ kind: 'finished', console: engine.takeConsole() });
  }
};

const main = async (data: ThreadData): Promise<void> => {
  const { modules, sizes } = data;
  const inbox = new Inbox(data.jobs, data.signal);
  const journal = new JournalWriter(data.journal, (memory) => report({ kind: 'journal', memory }));
  const allowance = new Allowance(data.allowance, sizes, () => report({ kind: 'growth' }));
  try {
    if (modules.language === 'Python')
      servePython({ module: modules.module, allowance, inbox, journal, report });
    else
      serve(
        await JavaScriptEngine.start(modules.modules, sizes.mostBytes, allowance),
        inbox,
        journal,
      );
    report({ kind: 'broken', cause: 'ended' });
  } catch (error) {
    report({ kind: 'broken', cause: error instanceof OutOfMemory ? 'memory' : 'ended' });
  }
};

void main(workerData as ThreadData);
