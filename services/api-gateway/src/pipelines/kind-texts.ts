import type {
  ExportDestination,
  ExportSettings,
  ImportSettings,
  ImportSource,
  KindInput,
  RecordColumns,
} from '@penstock/contracts';

type Texts = Readonly<Partial<Record<Exclude<keyof KindInput, 'inSchema'>, string>>>;

const columnTexts = ({
  userID,
  updatedAt,
  updatedAtFormat,
  missing = 'fail',
}: RecordColumns): Texts => ({
  userIDColumn: JSON.stringify(userID),
  updatedAtColumn: JSON.stringify(updatedAt),
  updatedAtFormat: JSON.stringify(updatedAtFormat),
  missingColumns: JSON.stringify(missing),
});

const fileTexts = (file: Omit<Extract<ExportDestination, { kind: 'file' }>, 'orderBy'>): Texts => ({
  format: JSON.stringify(file.format),
  path: JSON.stringify(file.path),
  sheet: JSON.stringify(file.sheet),
  compression: JSON.stringify(file.compression),
  formatSettings: file.formatSettings,
});

const sourceTexts = (source: ImportSource): Texts => {
  switch (source.kind) {
    case 'application':
      return {};
    case 'database':
      return { query: JSON.stringify(source.query), ...columnTexts(source.columns) };
    case 'file':
      return { ...fileTexts(source), ...columnTexts(source.columns) };
  }
};

/** The members that only an import has, beside its inSchema, as JSON texts. */
export const importTexts = ({ source, incremental }: ImportSettings): Texts => ({
  ...sourceTexts(source),
  incremental: JSON.stringify(incremental),
});

/** The members that only an export has, beside its inSchema, as JSON texts. */
export const exportTexts = ({ destination }: ExportSettings): Texts => {
  switch (destination.kind) {
    case 'application':
      return {
        exportMode: JSON.stringify(destination.mode),
        matching: JSON.stringify(destination.matching),
        updateOnDuplicates: JSON.stringify(destination.updateOnDuplicates),
      };
    case 'database':
      return {
        tableName: JSON.stringify(destination.table),
        tableKey: JSON.stringify(destination.key),
      };
    case 'file':
      return { ...fileTexts(destination), orderBy: JSON.stringify(destination.orderBy) };
  }
};
