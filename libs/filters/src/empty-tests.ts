import { isRecord } from './shapes';
import type { Test } from './test';

export const emptyText: Test = (value) => value === '';

export const emptyArray: Test = (value) => Array.isArray(value) && value.length === 0;

export const emptyMap: Test = (value) => value instanceof Map && value.size === 0;

export const emptyObject: Test = (value) => isRecord(value) && Object.keys(value).length === 0;

/** Objects inside JSON are maps. */
export const emptyJson: Test = (value) => emptyText(value) || emptyArray(value) || emptyMap(value);
