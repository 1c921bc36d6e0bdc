import { writeJson, type Json, type JsonObject } from '@penstock/schema';
import type { Condition, Filter } from './filter';

const conditionToJson = ({ property, operator, values }: Condition): JsonObject => {
  const members: [string, Json][] = [
    ['property', property],
    ['operator', operator],
  ];
  if (values.length > 0) members.push(['values', values]);
  return new Map(members);
};

/** The filter as it is read back; `values` is left out where the operator takes none. */
export const filterToJson = ({ logical, conditions }: Filter): JsonObject =>
  new Map<string, Json>([
    ['logical', logical],
    ['conditions', conditions.map(conditionToJson)],
  ]);

/** The compact text of {@link filterToJson}. Parsing it and printing again gives the same text. */
export const printFilter = (filter: Filter): string => writeJson(filterToJson(filter));
