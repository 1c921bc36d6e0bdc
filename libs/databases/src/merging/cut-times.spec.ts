import { newRecord, type Type } from '@penstock/schema';
import { withCutTimes } from './cut-times';
import type { MergedColumn } from './merged-columns';

const FINEST = '2026-12-31T23:59:59.999999999Z';
const DATETIME: Type = { kind: 'datetime' };

const column = (type: Type, fractionDigits?: number): MergedColumn => ({
  ...{ property: 'p', name: 'p', type, nullable: true },
  ...(fractionDigits !== undefined && { fractionDigits }),
});
const row = (p: unknown) => Object.assign(newRecord(), { p });

it('cuts times in arrays and maps too', () => {
  const limits = { minElements: 0, maxElements: 9, uniqueElements: false };
  const array: Type = { kind: 'array', elementType: DATETIME, ...limits };
  expect(withCutTimes([column(array, 3)], row([FINEST, FINEST]))).toEqual({
    p: ['2026-12-31T23:59:59.999Z', '2026-12-31T23:59:59.999Z'],
  });
  const map: Type = { kind: 'map', elementType: DATETIME };
  expect(withCutTimes([column(map, 0)], row(new Map([['a', FINEST]])))).toEqual({
    p: new Map([['a', '2026-12-31T23:59:59Z']]),
  });
});

it('leaves alone what is null, not there, or no time', () => {
  expect(withCutTimes([column(DATETIME, 0)], row(null))).toEqual({ p: null });
  expect(withCutTimes([column(DATETIME, 0)], newRecord())).toEqual({});
  expect(withCutTimes([column({ kind: 'string' })], row(FINEST))).toEqual({ p: FINEST });
});
