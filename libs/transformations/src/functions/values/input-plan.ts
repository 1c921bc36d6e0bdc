import type { Type } from '@penstock/schema';
import type { FunctionLanguage } from './transformation-function';

/**
 * Conversions that the guest must make after it has decoded the JSON of a record. A text names a conversion; `o`
 * contains those of an object's members, `e` that of an array's or map's elements.
 */
export type InputPlan =
  | Conversion
  | { readonly o: Readonly<Record<string, InputPlan>> }
  | { readonly e: InputPlan };

type Conversion = 'integer' | 'float' | 'decimal' | 'datetime' | 'date' | 'time' | 'uuid';

const CONVERTED: Readonly<Record<FunctionLanguage, ReadonlySet<string>>> = {
  JavaScript: new Set(['float']),
  Python: new Set(['float', 'decimal', 'datetime', 'date', 'time', 'uuid']),
};

/** @returns undefined when no value of the type needs a conversion. */
export const inputPlan = (type: Type, language: FunctionLanguage): InputPlan | undefined => {
  if (type.kind === 'object') {
    const members = type.properties.flatMap(({ name, type: inner }) => {
      const plan = inputPlan(inner, language);
      return plan === undefined ? [] : [[name, plan] as const];
    });
    return members.length === 0 ? undefined : { o: Object.fromEntries(members) };
  }
  if (type.kind === 'array' || type.kind === 'map') {
    const plan = inputPlan(type.elementType, language);
    return plan === undefined ? undefined : { e: plan };
  }
  if (type.kind === 'int' && type.bitSize === 64 && language === 'JavaScript') return 'integer';
  return CONVERTED[language].has(type.kind) ? (type.kind as Conversion) : undefined;
};
