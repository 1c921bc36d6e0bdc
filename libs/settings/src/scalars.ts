import { JsonNumber } from '@penstock/schema';
import type { Form } from './form';

const INTEGER = /^-?\d+$/;

/** A plain integer literal within both bounds (inclusive); `1.0` and `1e2` are refused. */
export const integer = (minimum: number, maximum: number): Form => ({
  type: { kind: 'int', bitSize: 32, minimum, maximum },
  secret: false,
  check: (json, path, issues) => {
    const value = json instanceof JsonNumber && INTEGER.test(json.text) ? Number(json.text) : NaN;
    if (!(value >= minimum && value <= maximum))
      issues.push({
        path,
        message: `must be an integer of ${String(minimum)} to ${String(maximum)}`,
      });
    return json;
  },
  mapSecrets: (json) => json,
});

/** `true` or `false`. */
export const flag: Form = {
  type: { kind: 'boolean' },
  secret: false,
  check: (json, path, issues) => {
    if (typeof json !== 'boolean') issues.push({ path, message: 'must be true or false' });
    return json;
  },
  mapSecrets: (json) => json,
};
