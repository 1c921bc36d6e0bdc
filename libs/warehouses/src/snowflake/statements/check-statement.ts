import { WarehouseFault } from '../../platform/warehouse';

/**
 * Functions that everybody may call, though they concern others or change something: those of the system, which end statements,
 * transactions and sessions of the same user; and numbers of sequences. A name that is computed could be any of them.
 */
const FORBIDDEN = /SYSTEM\$\w*|\bNEXTVAL\b|\bIDENTIFIER\s*\(/i;

const invalid = (message: string): WarehouseFault => new WarehouseFault('invalid', message);

/**
 * Refuses what a query may do beside reading, wherever it stands.
 *
 * @param text without comments.
 * @throws WarehouseFault `invalid`
 */
export const checkStatement = (text: string): void => {
  if (text.includes('\0')) throw invalid('it has a character NUL');
  const [name] = FORBIDDEN.exec(text) ?? [];
  if (name !== undefined) throw invalid(`${name.replace('(', '').trim()} is not taken`);
};
