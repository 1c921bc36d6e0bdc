import type { JsonString } from '@penstock/contracts';
import { type Json, MASK, maskedValues, writeJson } from '@penstock/schema';
import { shortReason } from '../outcomes/short-reason';

/** How values appear in an answer: as they are, or masked. */
export interface ShownValues {
  /** JSON text. */
  json(text: JsonString): JsonString;
  seen(value: Json | undefined): JsonString | null;
  /** A text that may quote values. */
  text(text: string): string;
  /** What an attempt, or an ending at a step, has said. */
  reason(step: string | null, text: string): string;
}

/** Shows values as they are. */
export const PLAIN_VALUES: ShownValues = {
  json: (text) => text,
  seen: (value) => (value === undefined ? null : writeJson(value)),
  text: (text) => text,
  reason: (_, text) => text,
};

/** Masks every value. */
export const MASKED_VALUES: ShownValues = {
  json: (text) => maskedValues(text),
  seen: (value) => (value === undefined ? null : maskedValues(writeJson(value))),
  text: (text) => (text === '' ? '' : MASK),
  reason: shortReason,
};
