import type { FunctionLanguage } from '../transformation-function';
import { frame, FrameReader } from '../wire/frames';
import type { BatchRequest } from '../wire/messages';
import type { SendReply } from './instance';
import { languageModules, type LanguageModules } from './language-modules';
import { dropRights } from './rights';
import { Supervisor } from './supervisor';

const MAX_REQUEST_BYTES = 512 * 1024 * 1024;
const [memoryLimitBytes = 0, maxInstances = 1, spares = 0] = process.argv.slice(2).map(Number);

const known = new Map<FunctionLanguage, LanguageModules>();
const modulesOf = (language: FunctionLanguage): LanguageModules => {
  const modules = known.get(language) ?? languageModules(language, memoryLimitBytes);
  known.set(language, modules);
  return modules;
};

dropRights(__filename);
/** Replies of one turn of the loop leave in one write. */
const say: SendReply = (reply, body) => {
  if (process.stdout.writableCorked === 0) {
    process.stdout.cork();
    setImmediate(() => process.stdout.uncork());
  }
  process.stdout.write(frame(reply, body));
};
const supervisor = new Supervisor({
  memoryLimitBytes,
  maxInstances,
  spares,
  modulesOf,
  onReady: () => say({ id: 0, kind: 'ready' }),
  onStillborn: () => process.exit(1),
});
const reader = new FrameReader(MAX_REQUEST_BYTES);
process.stdin.on('data', (chunk: Buffer) => {
  for (const { head, body } of reader.push(chunk))
    void supervisor.run(head as BatchRequest, body, say);
});
process.stdin.on('end', () => process.exit(0));
