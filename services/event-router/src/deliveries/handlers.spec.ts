import { OPERATIONS } from '@penstock/contracts';
import { MetadataScanner } from '@nestjs/core';
import { PATTERN_METADATA } from '@nestjs/microservices/constants';
import { HANDLERS } from './deliveries.module';

it('every operation that is declared as answered by routers has one handler', () => {
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
    ([, { answeredBy }]) => answeredBy === 'event-router',
  );
  expect(declared.length).toBeGreaterThan(0);
  expect(handled.sort()).toEqual(declared.map(([name]) => name).sort());
});

it('no question to the routers holds up the ones behind it', () => {
  const quick = Object.entries(OPERATIONS).filter(
    ([, { answeredBy, isSlow }]) => answeredBy === 'event-router' && !isSlow({} as never),
  );
  expect(quick).toEqual([]);
});
