// Package papers has the tables of the papers: which of our programs stands for which of theirs, under which
// options it is asked, and the figures that the paper gives. The programs are not here: a row names its source.
//
// A leaf: it reads its own tables and nothing else.
package papers
