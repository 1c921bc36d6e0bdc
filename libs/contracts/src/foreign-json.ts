/** Whether a value has members. */
export const isObject = (value: unknown): value is Partial<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** The object in a text of JSON; empty where there is none. */
export const objectIn = (text: string | null): Partial<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
};

/** Whether a value is a whole number from 1 on. */
export const isPosition = (value: unknown): boolean =>
  Number.isSafeInteger(value) && Number(value) > 0;

/** Whether a value is a whole number from 0 on that a database stores in four bytes. */
export const isInteger = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 2_147_483_647;

/** Whether a value is a text as ours are: none has a NUL, which no database stores. */
export const isName = (value: unknown): boolean =>
  typeof value === 'string' && !value.includes('\0');
