import { readOptionalObject, readOptionalText } from '@penstock/settings';
import { type ErrorText, joinedText } from '../answers/error-text';

/** Source: Stripe's API reference "Errors", version 2025-09-30.clover, read in November 2026. */
export const stripeErrorText: ErrorText = (answer) => {
  const error = readOptionalObject(answer, 'error') ?? new Map();
  const [code, parameter, message] = ['code', 'param', 'message'].map((name) =>
    readOptionalText(error, name),
  );
  return joinedText(code, parameter, message);
};
