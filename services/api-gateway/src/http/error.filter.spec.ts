import type { ArgumentsHost } from '@nestjs/common';
import { createLogger } from '@penstock/runtime';
import { ErrorFilter } from './error.filter';
import { HttpRefusal, unavailable } from './http-refusal';

const filterAndLines = () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const logger = createLogger(
    { service: 'spec', LOG_LEVEL: 'info', LOG_FORMAT: 'json' },
    { write },
  );
  return { filter: new ErrorFilter(logger), lines };
};

/** A host whose response accepts every call. */
const host = (): ArgumentsHost => {
  const response = { headersSent: false };
  const chain = new Proxy(response, {
    get: (of, name) => (name in of ? of[name as keyof typeof of] : () => chain),
  });
  return { switchToHttp: () => ({ getResponse: () => chain }) } as unknown as ArgumentsHost;
};

it('logs one of several refusals with the same cause, with its chain of causes', () => {
  const { filter, lines } = filterAndLines();
  for (let nth = 0; nth < 3; nth += 1) {
    filter.catch(unavailable('the log cannot be reached'), host());
    filter.catch(unavailable('the database cannot be reached'), host());
  }
  expect(lines.map((line) => (JSON.parse(line) as { err: Error }).err.message)).toEqual([
    'service is unavailable: the log cannot be reached',
    'service is unavailable: the database cannot be reached',
  ]);
});

it('logs every unexpected error, and no refusal', () => {
  const { filter, lines } = filterAndLines();
  filter.catch(new Error('one'), host());
  filter.catch(new Error('one'), host());
  filter.catch(new HttpRefusal('NotFound'), host());
  expect(lines).toHaveLength(2);
});
