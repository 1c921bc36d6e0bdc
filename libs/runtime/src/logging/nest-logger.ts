import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/**
 * Nest's own messages in our log; those on each route and module have the level debug. Nest passes the context
 * last; with an error, its stack before that.
 */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.#write('debug', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.#write('fatal', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.#write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.#write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.#write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.#write('trace', message, rest);
  }

  #write(
    level: 'fatal' | 'error' | 'warn' | 'debug' | 'trace',
    message: unknown,
    rest: readonly unknown[],
  ): void {
    const texts = rest.filter((item) => typeof item === 'string');
    const stack = texts.find((item) => item.includes('\n'));
    const context = texts.filter((item) => item !== stack).at(-1);
    const members = { ...(context && { context }), ...(stack && { stack }) };
    if (message instanceof Error) this.logger[level]({ ...members, err: message }, message.message);
    else if (typeof message === 'string') this.logger[level](members, message);
    else this.logger[level]({ ...members, message });
  }
}
