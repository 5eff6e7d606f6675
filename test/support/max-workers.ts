/**
 * How many spec files run at the same time. They spend most of their time waiting, so that two cores serve six. With more, real
 * servers would miss their own ticks.
 */
export const MAX_WORKERS = 6;
