import { Invalid } from '../issue';
import { canonicalDateTime } from '../texts/date-time';
import { compileLayout } from './layout';
import { serialDayTime } from './serial-day';

/** What a text of a column of update times says. */
export type UpdateTime =
  | {
      /** In UTC with six digits of the second, e.g. `2026-03-01T09:30:00.123456Z`; what is below is cut off. */
      readonly time: string;
    }
  | {
      /** Why it is no time. Repeats no value. */
      readonly issue: string;
    };

/** Reads the texts of a column of update times; never throws. */
export type UpdateTimeReader = (text: string) => UpdateTime;

/** Where a column is from. */
export type UpdateTimeSource = 'database' | 'file';

const MICROSECOND_DIGITS = 6;

/** Of a canonical datetime. */
const withMicroseconds = (time: string): string => {
  const [upToSecond = '', fraction = ''] = time.slice(0, -1).split('.');
  const digits = fraction.slice(0, MICROSECOND_DIGITS).padEnd(MICROSECOND_DIGITS, '0');
  return `${upToSecond}.${digits}Z`;
};

const reader =
  (read: (text: string) => string | undefined, form: string): UpdateTimeReader =>
  (text) => {
    const time = read(text);
    return time === undefined
      ? { issue: `is no time of the form ${form}` }
      : { time: withMicroseconds(time) };
  };

const malformed = (message: string): Invalid => new Invalid([{ path: '', message }]);

/**
 * Compiles the form in which a column of texts gives times: `ISO8601` (also of the kinds datetime and date), `Excel`
 * (serial days, of files only), or a layout with `%` of 1 to 64 characters, such as `%d.%m.%Y %H:%M`. Reading takes
 * time linear in the text.
 *
 * @throws Invalid when there is no such form.
 */
export const compileUpdateTimeFormat = (
  format: string,
  source: UpdateTimeSource,
): UpdateTimeReader => {
  if (format === 'ISO8601') return reader(canonicalDateTime, format);
  if (format === 'Excel') {
    if (source === 'file') return reader(serialDayTime, format);
    throw malformed('Excel is a form of times in files only');
  }
  if (!format.includes('%'))
    throw malformed(
      `must be ISO8601${source === 'file' ? ', Excel' : ''} or a layout such as %Y-%m-%d %H:%M:%S`,
    );
  const layout = compileLayout(format);
  if (typeof layout === 'string') throw malformed(layout);
  return reader(layout, format);
};
