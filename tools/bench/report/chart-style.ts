import { SUBJECTS, type Subject } from '../subjects.js';

/** Ours, the reference, and the others; visible on white and on black. */
const COLORS = [
  '#2f7ed8',
  '#6aa8ea',
  '#e0862e',
  '#c9a227',
  '#8f7ad1',
  '#8c8c8c',
  '#d2554a',
  '#3f9f8f',
  '#b0607a',
];

export function subjectColor(subject: Subject): string {
  return COLORS[SUBJECTS.indexOf(subject) % COLORS.length]!;
}

/** An image in a page sees the colour scheme of the reader, and not the colours of the page. */
export const STYLE = `
  text { font: 10px system-ui, sans-serif; fill: #333; }
  .title { font-size: 15px; font-weight: 600; }
  .name { font-size: 11px; font-weight: 600; }
  .grid { stroke: #ddd; }
  .one { stroke: #888; }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd; }
    .grid { stroke: #444; }
    .one { stroke: #aaa; }
  }
`;
