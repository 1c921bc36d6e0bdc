import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { JavaScriptEngine } from '../javascript/javascript-engine';
import { servePython } from '../python/serve-python';
import { type Engine, OutOfMemory } from './engine';
import { Inbox } from './inbox';
import type { LanguageModules } from './language-modules';
import type { Report } from './report';

export interface ThreadData {
  readonly modules: LanguageModules;
  readonly memoryLimitBytes: number;
  readonly jobs: MessagePort;
  readonly signal: Int32Array<SharedArrayBuffer>;
}

const tell = (report: Report): void => parentPort?.postMessage(report);

const serve = (engine: Engine, inbox: Inbox): void => {
  tell({ kind: 'ready' });
  for (;;) {
    const job = inbox.next();
    if (job.kind === 'load') {
      const refusal = engine.load(job.program);
      tell({ kind: 'loaded', ...(refusal && { refusal }) });
      continue;
    }
    for (const record of job.records) tell(engine.call(record));
    tell({ kind: 'finished', console: engine.takeConsole() });
  }
};

const main = async ({ modules, memoryLimitBytes, jobs, signal }: ThreadData): Promise<void> => {
  const inbox = new Inbox(jobs, signal);
  try {
    if (modules.language === 'Python') servePython(modules.module, inbox, tell);
    else serve(await JavaScriptEngine.start(modules.modules, memoryLimitBytes), inbox);
    tell({ kind: 'broken', cause: 'ended' });
  } catch (error) {
    tell({ kind: 'broken', cause: error instanceof OutOfMemory ? 'memory' : 'ended' });
  }
};

void main(workerData as ThreadData);
