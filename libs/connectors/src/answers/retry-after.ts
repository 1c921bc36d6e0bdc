/** Nobody makes its sender wait longer than this. */
const MAX_RETRY_AFTER_MS = 3_600_000;

const SECONDS = /^\d+$/;
/** Every form of an HTTP date (RFC 9110, 5.6.7) begins with the name of a day. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;
/** Such as `GMT` or `+0100`. One form has none, and is GMT nevertheless: `Sun Nov  6 08:49:37 1994`. */
const ZONE_AT_END = /(?:[A-Za-z]|\d [+-]\d{4})$/;

const parsedDate = (text: string): number =>
  Date.parse(ZONE_AT_END.test(text) ? text : `${text} GMT`);

/**
 * The delay that a `Retry-After` header (RFC 9110, 10.2.3) requests.
 *
 * @param nowMs the present, in milliseconds since 1970.
 * @returns milliseconds, 0 to one hour; undefined when the header is absent or has neither form.
 */
export const retryAfterMs = (header: string | undefined, nowMs: number): number | undefined => {
  const text = header?.trim() ?? '';
  const requestedMs = SECONDS.test(text)
    ? Number(text) * 1_000
    : HTTP_DATE.test(text)
      ? parsedDate(text) - nowMs
      : Number.NaN;
  return Number.isNaN(requestedMs)
    ? undefined
    : Math.min(Math.max(requestedMs, 0), MAX_RETRY_AFTER_MS);
};
