import {
  type ChildLoggerOptions,
  type DestinationStream,
  type Logger,
  type LoggerOptions,
  pino,
} from 'pino';
import pretty from 'pino-pretty';
import type { PenstockConfig } from '../config/penstock-variables';
import { redact, redactText } from './redact';
import { currentRequestId } from './request-id';
import { traceMembers } from './trace-context';

export type { Logger } from 'pino';

/** What a logger writes, and in which form. */
export interface LoggerSettings extends Pick<PenstockConfig, 'LOG_LEVEL' | 'LOG_FORMAT'> {
  /** On every line as `service`. */
  readonly service: string;
}

type Output = DestinationStream & { readonly isTTY?: boolean };

const redactAll = (members: object): Record<string, unknown> =>
  redact(members) as Record<string, unknown>;

const loggerOptions = ({ service, LOG_LEVEL }: LoggerSettings): LoggerOptions => ({
  level: LOG_LEVEL,
  base: { service },
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: {
    level: (level) => ({ level }),
    log: redactAll,
  },
  mixin: () => {
    const requestId = currentRequestId();
    return { ...(requestId !== undefined && { requestId }), ...traceMembers() };
  },
  hooks: { streamWrite: redactText },
});

/** pino shows no formatter what a child binds; children of children inherit this. */
const redactBindings = (logger: Logger): Logger => {
  const child: unknown = logger.child;
  const redacting = function (
    this: Logger,
    bindings: object,
    options?: ChildLoggerOptions,
  ): unknown {
    return Reflect.apply(child as () => unknown, this, [redactAll(bindings), options]);
  };
  logger.child = redacting as Logger['child'];
  return logger;
};

/** The lines as people read them, or as they are. */
const formatted = ({ LOG_FORMAT }: LoggerSettings, output: Output): DestinationStream => {
  const format = LOG_FORMAT ?? (output.isTTY === true ? 'pretty' : 'json');
  if (format === 'json') return output;
  return pretty({
    colorize: output.isTTY === true,
    destination: output as unknown as NodeJS.WritableStream,
    ignore: 'pid,hostname',
    sync: true,
  });
};

/**
 * One line per message: JSON, or for people in a terminal. Secret-looking members and the passwords of URLs
 * never get out, wherever they stand. Lines are written at once, so that the last one before an exit is there.
 *
 * @param onLine is given each line too, as JSON, after it was redacted.
 */
export const createLogger = (
  settings: LoggerSettings,
  output: Output = process.stdout,
  onLine?: (line: string) => void,
): Logger => {
  const stream = formatted(settings, output);
  if (onLine === undefined) return redactBindings(pino(loggerOptions(settings), stream));
  const both = {
    write: (line: string): void => {
      stream.write(line);
      onLine(line);
    },
  };
  return redactBindings(pino(loggerOptions(settings), both));
};
