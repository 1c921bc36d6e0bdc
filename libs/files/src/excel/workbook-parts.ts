import { xmlText } from './cell-text';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Where the sheet of a written workbook is. */
export const SHEET_PART = 'xl/worksheets/sheet1.xml';

const relations = (...targets: readonly (readonly [kind: string, target: string])[]): string =>
  `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${targets
    .map(
      ([kind, target], index) =>
        `<Relationship Id="rId${String(index + 1)}" Type="${OFFICE}/${kind}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`;

const contentTypes = `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/${SHEET_PART}" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`;

const workbook = (sheet: string): string =>
  `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${xmlText(sheet)}" sheetId="1" r:id="rId1"/></sheets></workbook>`;

/** Forms in the order of the indexes that cells have. */
const FORMS = ['yyyy\\-mm\\-dd', 'yyyy\\-mm\\-dd\\ hh:mm:ss', 'hh:mm:ss'];
const FIRST_FORM_ID = 164;

const formId = (index: number): string => String(FIRST_FORM_ID + index);

const styles = `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="${String(FORMS.length)}">${FORMS.map(
  (code, index) => `<numFmt numFmtId="${formId(index)}" formatCode="${code}"/>`,
).join(
  '',
)}</numFmts><fonts count="1"><font/></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="${String(FORMS.length + 1)}"><xf xfId="0"/>${FORMS.map(
  (_, index) => `<xf numFmtId="${formId(index)}" xfId="0" applyNumberFormat="1"/>`,
).join(
  '',
)}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;

/** What a workbook with one sheet has beside the sheet: contents by their names. */
export const partsBeside = (sheet: string): readonly (readonly [name: string, xml: string])[] => [
  ['[Content_Types].xml', contentTypes],
  ['_rels/.rels', relations(['officeDocument', 'xl/workbook.xml'])],
  ['xl/workbook.xml', workbook(sheet)],
  [
    'xl/_rels/workbook.xml.rels',
    relations(['worksheet', 'worksheets/sheet1.xml'], ['styles', 'styles.xml']),
  ],
  ['xl/styles.xml', styles],
];

/** What stands before the rows of a sheet. */
export const SHEET_HEAD = `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>`;
/** What stands behind them. */
export const SHEET_END = '</sheetData></worksheet>';
