import {
  comparison,
  greater,
  greaterOrEqual,
  less,
  lessOrEqual,
  range,
  succession,
} from './ordered-rows';
import { not, type Row } from './row';
import {
  containment,
  emptiness,
  equality,
  existence,
  nullness,
  prefix,
  suffix,
  truth,
} from './unordered-rows';

/** Every operator. A new one is a new row here, never a new branch elsewhere. */
const OPERATORS = {
  is: equality('one'),
  'is not': not(equality('one')),
  'is less than': comparison(less),
  'is less than or equal to': comparison(lessOrEqual),
  'is greater than': comparison(greater),
  'is greater than or equal to': comparison(greaterOrEqual),
  'is between': range,
  'is not between': not(range),
  contains: containment,
  'does not contain': not(containment),
  'is one of': equality('some'),
  'is not one of': not(equality('some')),
  'starts with': prefix,
  'ends with': suffix,
  'is before': succession(less),
  'is on or before': succession(lessOrEqual),
  'is after': succession(greater),
  'is on or after': succession(greaterOrEqual),
  'is true': truth(true),
  'is false': truth(false),
  'is empty': emptiness,
  'is not empty': not(emptiness),
  'is null': nullness,
  'is not null': not(nullness),
  exists: existence,
  'does not exist': not(existence),
} as const satisfies Record<string, Row>;

/** The name of an operator, as a condition gives it. */
export type Operator = keyof typeof OPERATORS;

/** In the order in which error messages list them. */
export const OPERATOR_NAMES = Object.keys(OPERATORS) as readonly Operator[];

export const isOperator = (text: string): text is Operator => Object.hasOwn(OPERATORS, text);

/** The operator's row, as the general type of rows. */
export const rowOf = (operator: Operator): Row => OPERATORS[operator];
