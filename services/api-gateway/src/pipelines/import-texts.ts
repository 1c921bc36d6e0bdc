import type { ImportSettings, ImportSource, KindInput, RecordColumns } from '@penstock/contracts';

type Texts = Readonly<Partial<Record<Exclude<keyof KindInput, 'inSchema'>, string>>>;

const columnTexts = ({ userID, updatedAt, updatedAtFormat }: RecordColumns): Texts => ({
  userIDColumn: JSON.stringify(userID),
  updatedAtColumn: JSON.stringify(updatedAt),
  updatedAtFormat: JSON.stringify(updatedAtFormat),
});

const sourceTexts = (source: ImportSource): Texts => {
  switch (source.kind) {
    case 'application':
      return {};
    case 'database':
      return { query: JSON.stringify(source.query), ...columnTexts(source.columns) };
    case 'file':
      return {
        format: JSON.stringify(source.format),
        path: JSON.stringify(source.path),
        sheet: JSON.stringify(source.sheet),
        compression: JSON.stringify(source.compression),
        formatSettings: source.formatSettings,
        ...columnTexts(source.columns),
      };
  }
};

/** The members that only an import has, beside its inSchema, as JSON texts. */
export const importTexts = ({ source, incremental }: ImportSettings): Texts => ({
  ...sourceTexts(source),
  incremental: JSON.stringify(incremental),
});
