import { newRecord, parseJson, type RecordValue, type Value } from '@penstock/schema';
import fc from 'fast-check';
import { ownValue, trials, type Trial } from './arbitraries';
import { compileFilter } from './compile-filter';
import type { Filter } from './filter';
import type { Operator } from './operators';
import { parseFilter } from './parse-filter';
import { printFilter } from './print-filter';
import { locate, type Target } from './target';

const OPPOSITES: Readonly<Partial<Record<Operator, Operator>>> = {
  'is not': 'is',
  'is not between': 'is between',
  'does not contain': 'contains',
  'is not one of': 'is one of',
  'is not empty': 'is empty',
  'is not null': 'is null',
  'does not exist': 'exists',
};

const filterOf = ({ schema, steps, inside, operator, values }: Trial): Filter => {
  const property = [...steps, ...inside].join('.');
  const json = { logical: 'and', conditions: [{ property, operator, values }] };
  return parseFilter(parseJson(JSON.stringify(json)), schema, 'SourceUser');
};

const recordOf = ({ steps, value }: Trial): RecordValue => {
  const wrap = (member: unknown, name: string) =>
    Object.assign(newRecord(), member === undefined ? {} : { [name]: member as Value });
  return steps.reduceRight<unknown>(wrap, value) as RecordValue;
};

const matches = (trial: Trial, filter = filterOf(trial)): boolean =>
  compileFilter(filter, trial.schema).matches(recordOf(trial));

const holds = (predicate: (trial: Trial) => void, cases = trials) => {
  fc.assert(fc.property(cases, predicate), { numRuns: 2000 });
};

it('never throws, whatever the record holds', () => {
  holds((trial) => expect([true, false]).toContain(matches(trial)));
});

it('negates exactly, missing and null included', () => {
  const negative = trials.filter(({ operator }) => OPPOSITES[operator] !== undefined);
  holds((trial) => {
    const opposite = { ...trial, operator: OPPOSITES[trial.operator] ?? trial.operator };
    expect(matches(trial)).toBe(!matches(opposite));
  }, negative);
});

it('reads back what it stored, and filters in the same way', () => {
  holds((trial) => {
    const filter = filterOf(trial);
    const text = printFilter(filter);
    const stored = parseFilter(parseJson(text), trial.schema, 'SourceUser');
    expect(printFilter(stored)).toBe(text);
    expect(matches(trial, stored)).toBe(matches(trial, filter));
  });
});

it('finds a value by what it is', () => {
  const positive = trials.filter(({ operator }) => operator === 'is' || operator === 'is one of');
  holds((trial) => {
    const target = locate(trial.schema, trial.steps.join('.')) as Target;
    const value = ownValue(target.property.type, trial.values.at(-1) ?? '');
    expect(matches({ ...trial, inside: [], value })).toBe(true);
  }, positive);
});
