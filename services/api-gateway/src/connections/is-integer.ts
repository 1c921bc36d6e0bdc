import { JsonNumber } from '@penstock/schema';
import { buildMessage, ValidateBy } from 'class-validator';
import { declareMember } from '../openapi/schema/members';

/** Checks for an integer as JSON Schema defines it: by its value, so that `60.0` and `6e1` are integers too. */
const hasIntegerValue = ({ text }: JsonNumber): boolean =>
  /^-?\d+$/.test(text) || Number.isInteger(Number(text));

/** Requires an integer in any notation, between the bounds (inclusive). */
export const IsInteger = (minimum: number, maximum = Infinity): PropertyDecorator => {
  const isBounded = maximum < Infinity;
  const upTo = isBounded ? `from ${String(minimum)} to ${String(maximum)}` : '';
  const message = `must be an integer ${upTo || `of ${String(minimum)} or more`}`;
  const validate = (value: unknown): boolean => {
    if (!(value instanceof JsonNumber) || !hasIntegerValue(value)) return false;
    return Number(value.text) >= minimum && Number(value.text) <= maximum;
  };
  const schema = { type: 'integer', minimum, ...(isBounded && { maximum }) };
  return (prototype, member) => {
    const validator = { validate, defaultMessage: buildMessage(() => message) };
    ValidateBy({ name: 'isInteger', validator })(prototype, member);
    declareMember(prototype, String(member), { schema });
  };
};
