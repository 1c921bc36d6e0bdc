import {
  Invalid,
  isJsonArray,
  isJsonObject,
  pointer,
  type Issue,
  type Json,
  type Schema,
} from '@penstock/schema';
import { checkMembers } from './check-members';
import type { Condition, Filter, FilterContext } from './filter';
import { parseCondition } from './parse-condition';
import type { Scope } from './scope';

const MEMBERS = ['logical', 'conditions'];

const readLogical = (json: Json | undefined, { report }: Scope): Filter['logical'] => {
  if (json === 'and' || json === 'or') return json;
  report('/logical', 'must be "and" or "or"');
  return 'and';
};

const readConditions = (json: Json | undefined, scope: Scope): readonly Condition[] => {
  if (!isJsonArray(json) || json.length === 0) {
    scope.report('/conditions', 'must be an array of at least one condition');
    return [];
  }
  return json.flatMap((item, index) => {
    const at = pointer('conditions', index);
    const report = (path: string, message: string) => scope.report(at + path, message);
    return parseCondition(item, { ...scope, report }) ?? [];
  });
};

const read = (json: Json, scope: Scope): Filter => {
  if (!isJsonObject(json)) {
    scope.report('', 'must be an object with logical and conditions');
    return { logical: 'and', conditions: [] };
  }
  checkMembers(json, MEMBERS, scope.report);
  const logical = readLogical(json.get('logical'), scope);
  return { logical, conditions: readConditions(json.get('conditions'), scope) };
};

/**
 * Reads a filter over a schema. Operands take the form in which they are stored and read back.
 *
 * @param json the filter itself; that a missing or null one matches everything is for the caller to see.
 * @throws Invalid with everything that is wrong, condition by condition; paths begin at the filter.
 */
export const parseFilter = (json: Json, schema: Schema, context: FilterContext): Filter => {
  const issues: Issue[] = [];
  const report = (path: string, message: string) => issues.push({ path, message });
  const filter = read(json, { schema, context, report });
  if (issues.length > 0) throw new Invalid(issues);
  return filter;
};
