"""The page's style: light and dark, wide and narrow. Colours of Okabe and Ito."""

STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --soft: #555; --ground: #fff; --line: #ddd;
  --panel: #f4f5f6; --in: #0072b2; --on-in: #fff; --out: #8a8a8a; --undecided: #b26a00;
  --cycle: #a8447c; --ahead: #0072b2; --behind: #d55e00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e9e9e9; --soft: #aaa; --ground: #15171a;
  --line: #383c42; --panel: #202327; --in: #56b4e9; --on-in: #10202b; --out: #8d8d8d;
  --undecided: #e69f00; --cycle: #d98cb8; --ahead: #56b4e9; --behind: #e8803a; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground);
  max-width: 72rem; margin: 0 auto; padding: 1.2rem 1rem 3rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .4rem 0; }
h2 { font-size: 1.25rem; margin: 2.4rem 0 .5rem; } h3 { font-size: 1.05rem; }
.tiles { list-style: none; padding: 0; display: grid; gap: .6rem;
  grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); }
.tiles li { background: var(--panel); border-left: .35rem solid; border-radius: .3rem;
  padding: .5rem .8rem; } .tiles b { font-size: 1.5rem; } .tiles small { display: block;
  color: var(--soft); }
.tiles .in { border-color: var(--in); } .tiles .out { border-color: var(--out); }
.tiles .undecided { border-color: var(--undecided); } .tiles .cycle { border-color: var(--cycle); }
.front { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .4rem; }
.front li { background: var(--in); color: var(--on-in); border-radius: 1rem; padding: .15rem .8rem;
  font-weight: 600; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .4rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .9rem .35rem 0;
  border-bottom: 1px solid var(--line); font-weight: 400; }
thead th { color: var(--soft); } tbody th { font-weight: 600; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.out th { font-weight: 400; } .unit { display: none; }
.tag { border: 1px solid; border-radius: .8rem; padding: 0 .55rem; font-size: .85rem;
  white-space: nowrap; }
.tag.in { background: var(--in); border-color: var(--in); color: var(--on-in); }
.tag.out { color: var(--soft); } .tag.undecided { color: var(--undecided); }
.tag.cycle { color: var(--cycle); }
figure { margin: .6rem 0 1.4rem; } figcaption { color: var(--soft); font-size: .93rem;
  margin-top: .4rem; max-width: 46rem; }
.scroll { overflow-x: auto; } svg { font: 12px system-ui, sans-serif; }
svg text { fill: var(--ink); } svg .small { font-size: 10.5px; fill: var(--soft); }
svg.chart { max-width: 100%; height: auto; min-width: 30rem; }
.chart polyline, .chart .lead { fill: none; stroke-width: 2; stroke: var(--out); }
.chart .lead { stroke-width: 1.2; }
.chart .grid { stroke: var(--line); } .chart .limit { stroke: var(--ink); stroke-dasharray: 4 4; }
.chart .line.in { stroke: var(--in); } .chart .line.out { stroke: var(--behind); }
.chart .l0 { stroke: #0072b2; } .chart .l1 { stroke: #d55e00; } .chart .l2 { stroke: #009e73; }
.chart .l3 { stroke: #cc79a7; } .chart .l4 { stroke: #e69f00; } .chart .l5 { stroke: #56b4e9; }
.chart .l6 { stroke: #8a8a8a; } .chart .l7 { stroke: #7f6bb3; }
.hasse .edge path { fill: none; stroke: var(--soft); }
.rank { color: var(--soft); } .items .rank { padding-right: .7rem; }
.hasse .behind { fill: var(--ground); }
nav { font-size: .93rem; margin: 1rem 0; } a { color: var(--in); }
.node rect { fill: var(--panel); stroke: var(--out); }
.node.in rect { fill: var(--in); stroke: var(--in); } .node.in text { fill: var(--on-in);
  font-weight: 600; }
.node.undecided rect { stroke: var(--undecided); stroke-dasharray: 4 3; stroke-width: 1.5; }
.node.cycle rect { stroke: var(--cycle); stroke-width: 2; }
.rates .ground { fill: var(--panel); } .rates .ahead { fill: var(--ahead); }
.rates .behind { fill: var(--behind); } .rates .even { fill: var(--out); }
.bars .in { fill: var(--in); } .bars .out { fill: var(--out); }
code { overflow-wrap: anywhere; } footer { color: var(--soft); font-size: .9rem;
  margin-top: 3rem; border-top: 1px solid var(--line); }
@media (max-width: 640px) {
  .items thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px;
    overflow: hidden; }
  .items, .items tbody { display: block; }
  .items tr { display: grid; grid-template-columns: 1fr auto; gap: .1rem .8rem; padding: .5rem 0;
    border-bottom: 1px solid var(--line); }
  .items th, .items td { border: 0; padding: 0; text-align: left; }
  .items td.number { color: var(--soft); } .items td.number + td.number { text-align: right; }
  .items .rank { display: none; }
  .items th[data-rank]::before { content: attr(data-rank) ". "; color: var(--soft);
    font-weight: 400; }
  .items .why { grid-column: 1 / -1; color: var(--soft); } .unit { display: inline; }
  .items caption { display: block; }
}
"""
