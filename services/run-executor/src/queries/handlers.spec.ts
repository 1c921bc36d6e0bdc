import { OPERATIONS } from '@penstock/contracts';
import { MetadataScanner } from '@nestjs/core';
import { PATTERN_METADATA } from '@nestjs/microservices/constants';
import { HANDLERS } from './answer-queries';

it('every operation that is declared as answered by executors has one handler', () => {
  const handled = HANDLERS.flatMap(({ prototype }) => {
    const methods = prototype as Record<string, object>;
    return new MetadataScanner()
      .getAllMethodNames(methods)
      .flatMap(
        (name) =>
          (Reflect.getMetadata(PATTERN_METADATA, methods[name]!) as string[] | undefined) ?? [],
      );
  });
  const declared = Object.entries(OPERATIONS).filter(
    ([, { answeredBy }]) => answeredBy === 'run-executor',
  );
  expect(declared.length).toBeGreaterThan(0);
  expect(handled.sort()).toEqual(declared.map(([name]) => name).sort());
});
