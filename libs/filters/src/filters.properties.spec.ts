import { newRecord, parseJson, type RecordValue, type Value } from '@penstock/schema';
import fc from 'fast-check';
import { ownValue, trialsOf, type Trial } from './trials.fixtures';
import { compileFilter } from './compile-filter';
import type { Filter } from './filter';
import type { Operator } from './operators';
import { OPPOSITES } from './opposites.fixtures';
import { parseFilter } from './parse-filter';
import { printFilter } from './print-filter';
import { locate, type Target } from './target';

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

const holds = (accepts: (operator: Operator) => boolean, predicate: (trial: Trial) => void) => {
  fc.assert(fc.property(trialsOf(accepts), predicate), { numRuns: 500 });
};

const everyOperator = () => true;

it('never throws, whatever the record holds', () => {
  holds(everyOperator, (trial) => {
    expect([true, false]).toContain(matches(trial));
  });
});

it('negates exactly, missing and null included', () => {
  holds(
    (operator) => OPPOSITES[operator] !== undefined,
    (trial) => {
      const opposite = { ...trial, operator: OPPOSITES[trial.operator] ?? trial.operator };
      expect(matches(opposite)).toBe(!matches(trial));
    },
  );
});

it('reads back what it stored, and filters in the same way', () => {
  holds(everyOperator, (trial) => {
    const filter = filterOf(trial);
    const text = printFilter(filter);
    const stored = parseFilter(parseJson(text), trial.schema, 'SourceUser');
    expect(printFilter(stored)).toBe(text);
    expect(matches(trial, stored)).toBe(matches(trial, filter));
  });
});

it('finds a value by what it is', () => {
  holds(
    (operator) => operator === 'is' || operator === 'is one of',
    (trial) => {
      const target = locate(trial.schema, trial.steps.join('.')) as Target;
      const value = ownValue(target.property.type, trial.values.at(-1) ?? '');
      expect(matches({ ...trial, inside: [], value })).toBe(true);
    },
  );
});

it('explains every operator as the compiled filter decides', () => {
  holds(everyOperator, (trial) => {
    const filter = filterOf(trial);
    const compiled = compileFilter(filter, trial.schema);
    const record = recordOf(trial);
    const explained = compiled.explain(record);
    expect(explained.map(({ holds: verdict }) => verdict)).toEqual(compiled.verdicts(record));
    expect(explained.every(({ holds: verdict }) => verdict)).toBe(compiled.matches(record));
    const [{ property, operator, values }] = filter.conditions as [Filter['conditions'][0]];
    expect(explained).toMatchObject([{ property, operator, values }]);
    if (trial.value === undefined || trial.value === null)
      expect(explained[0]?.seen).toBe(trial.inside.length === 0 ? trial.value : undefined);
  });
});
