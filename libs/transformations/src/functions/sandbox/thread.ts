import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { JavaScriptEngine } from '../javascript/javascript-engine';
import type { Answer, Refusal } from '../wire/messages';
import { type Engine, OutOfMemory } from './engine';
import { Inbox } from './inbox';
import type { LanguageModules } from './language-modules';

export interface ThreadData {
  readonly modules: LanguageModules;
  readonly memoryLimitBytes: number;
  readonly jobs: MessagePort;
  readonly signal: Int32Array<SharedArrayBuffer>;
}

/** What a thread tells the supervisor. */
export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'loaded'; readonly refusal?: Refusal }
  | Answer
  | { readonly kind: 'finished'; readonly console: string }
  | { readonly kind: 'broken'; readonly cause: 'memory' | 'ended' };

const tell = (report: Report): void => parentPort?.postMessage(report);

const serve = (engine: Engine, inbox: Inbox): void => {
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
    const engine = await JavaScriptEngine.start(modules.modules, memoryLimitBytes);
    tell({ kind: 'ready' });
    serve(engine, inbox);
  } catch (error) {
    tell({ kind: 'broken', cause: error instanceof OutOfMemory ? 'memory' : 'ended' });
  }
};

void main(workerData as ThreadData);
