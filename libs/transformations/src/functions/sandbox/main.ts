import type { SandboxLimits } from '../sandbox-process';
import type { FunctionLanguage } from '../values/transformation-function';
import { frame, FrameReader } from '../wire/frames';
import type { BatchRequest, Cancellation } from '../wire/messages';
import type { SendReply } from './instance';
import { languageModules, type LanguageModules } from './language-modules';
import { dropRights } from './rights';
import { Supervisor } from './supervisor';

const MAX_REQUEST_BYTES = 512 * 1024 * 1024;
/** Limit for answers that were not read yet. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;
const limits = JSON.parse(process.argv[2] ?? '') as SandboxLimits;

const known = new Map<FunctionLanguage, LanguageModules>();
const modulesOf = (language: FunctionLanguage): LanguageModules => {
  const modules = known.get(language) ?? languageModules(language, limits.memoryLimitBytes);
  known.set(language, modules);
  return modules;
};

dropRights(__filename);
/** Writes all replies of one turn of the event loop at once. */
const send: SendReply = (reply, body) => {
  if (process.stdout.writableCorked === 0) {
    process.stdout.cork();
    setImmediate(() => process.stdout.uncork());
  }
  process.stdout.write(frame(reply, body));
};
const supervisor = new Supervisor({
  limits,
  modulesOf,
  onReady: () => send({ id: 0, kind: 'ready' }),
  onStillborn: () => process.exit(1),
  isCongested: () => process.stdout.writableLength > MAX_UNREAD_BYTES,
});
const take = (request: BatchRequest | Cancellation, records: Uint8Array): void => {
  if ('cancelled' in request) supervisor.cancel(request.cancelled);
  else void supervisor.run(request, records, send);
};
const reader = new FrameReader(MAX_REQUEST_BYTES);
process.stdin.on('data', (chunk: Buffer) => {
  for (const { head, body } of reader.push(chunk)) take(head as BatchRequest | Cancellation, body);
});
process.stdin.on('end', () => process.exit(0));
